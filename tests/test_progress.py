"""Progress on a terminal and elsewhere."""

import io
import sys

import pytest
from absl import logging

from nmt import progress
from nmt.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("total", "shown"), [(9, "3/9"), (None, "3/?")])
def test_terminal_shows_a_bar(
    monkeypatch: pytest.MonkeyPatch, total: int | None, shown: str
) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    with Progress("translating", total=total, unit="lines") as bar:
        bar.show(3)
    assert f"{shown}\x1b[0m lines" in screen.getvalue()


def test_log_gets_a_line_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[str] = []
    now = [100.0]
    monkeypatch.setattr(logging, "info", lambda _, line: lines.append(line))
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    with Progress("encoding", total=1000, unit="lines") as told:
        for now[0], done in ((100.0, 100), (104.0, 300), (130.0, 400), (131.0, 500)):
            told.show(done, note="quick")
    # 300 lines in 30 s; 600 are left.
    assert lines == ["encoding: 400 of 1,000 lines, 1.0 min left, quick"]
