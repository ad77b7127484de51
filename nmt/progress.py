"""Progress of whatever takes more than a few seconds."""

import sys
import time

import rich.console
import rich.progress
from absl import logging

_SECONDS_BETWEEN_LINES = 10.0


class Progress:
    """A bar with the time left on a terminal, plain log lines elsewhere.

    Both go to standard error. Use as a context manager.

    Args:
        task: What is being done, such as "encoding".
        total: Units of the whole; None while it is not known.
        unit: What is counted, such as "lines".
        lines: Whether there are log lines where there is no terminal; False for work
            that logs its own.

    Example:
        >>> with Progress("counting", total=2, unit="lines") as progress:
        ...     progress.show(2)
    """

    def __init__(
        self,
        task: str,
        total: int | None = None,
        unit: str = "",
        lines: bool = True,
    ) -> None:
        self._task = task
        self._lines = lines
        self._total = total
        self._unit = unit
        self._began = self._last_line = time.monotonic()
        self._first: int | None = None
        self._bar: rich.progress.Progress | None = None
        if sys.stderr.isatty():
            self._bar = rich.progress.Progress(
                rich.progress.TextColumn("{task.description}"),
                rich.progress.BarColumn(),
                rich.progress.MofNCompleteColumn(),
                rich.progress.TextColumn("{task.fields[unit]}"),
                rich.progress.TimeRemainingColumn(),
                rich.progress.TextColumn("{task.fields[note]}"),
                console=rich.console.Console(stderr=True),
                transient=True,
            )
            self._row = self._bar.add_task(task, total=total, unit=unit, note="")

    def __enter__(self) -> "Progress":
        if self._bar:
            self._bar.start()
        return self

    def __exit__(self, *exception: object) -> None:
        if self._bar:
            self._bar.stop()

    def show(self, done: int, total: int | None = None, note: str = "") -> None:
        """Shows how far the work is.

        Args:
            done: Units done so far.
            total: Units of the whole, where it became known.
            note: Figures to show beside the bar.
        """
        self._total = self._total if total is None else total
        if self._bar:
            self._bar.update(self._row, completed=done, total=self._total, note=note)
            return
        now = time.monotonic()
        if self._first is None:
            self._first, self._began = done, now
        if self._lines and now - self._last_line >= _SECONDS_BETWEEN_LINES:
            self._last_line = now
            logging.info("%s", self._line(done, now, note))

    def _line(self, done: int, now: float, note: str) -> str:
        line = f"{self._task}: {done:,}"
        made = done - (self._first or 0)
        if self._total:
            line += f" of {self._total:,}"
        line += f" {self._unit}"
        if self._total and made > 0:
            left = (now - self._began) * (self._total - done) / made
            line += f", {left / 60:.1f} min left"
        return line + (f", {note}" if note else "")
