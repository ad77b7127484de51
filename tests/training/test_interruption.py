"""Signals are noted, and given back."""

import os
import signal

import pytest

from nmt.training.interruption import Interruption


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signal_is_noted(number: int) -> None:
    former = signal.getsignal(number)
    with Interruption() as interruption:
        assert interruption.signal is None
        os.kill(os.getpid(), number)
        assert interruption.signal == number
    assert signal.getsignal(number) is former


def test_second_control_c_stops_at_once() -> None:
    with Interruption():
        os.kill(os.getpid(), signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
