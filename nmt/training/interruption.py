"""Stopping in good order when the system asks for it."""

import signal
import types
from typing import Any


class Interruption:
    """Notes SIGTERM and SIGINT, so that the loop can save and leave.

    A second SIGINT stops at once. Use as a context manager around the loop; the former
    handlers come back at its end.

    Attributes:
        signal: The number of the signal that came, or None.
    """

    def __init__(self) -> None:
        self.signal: int | None = None
        self._former: dict[int, Any] = {}

    def __enter__(self) -> "Interruption":
        for number in (signal.SIGTERM, signal.SIGINT):
            self._former[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *exception: object) -> None:
        for number, handler in self._former.items():
            signal.signal(number, handler)

    def _note(self, number: int, frame: types.FrameType | None) -> None:
        if self.signal is not None and number == signal.SIGINT:
            raise KeyboardInterrupt
        self.signal = number
