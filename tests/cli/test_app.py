"""How binaries start and end."""

import logging
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from absl import flags
from ml_collections import config_flags

from nmt.cli import app
from nmt.errors import UserError

CONFIG = """
import dataclasses

@dataclasses.dataclass
class Config:
    size: int = 3

def get_config():
    return Config()
"""


def define_flags(values: flags.FlagValues) -> None:
    flags.DEFINE_integer("size", 1, "Size.", lower_bound=1, flag_values=values)
    flags.DEFINE_string("name", None, "Name.", required=True, flag_values=values)
    config_flags.DEFINE_config_file("config", flag_values=values)


def run(monkeypatch: pytest.MonkeyPatch, main: object, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["binary", *arguments])
    with pytest.raises(SystemExit) as ended:
        app.run(main, define_flags)
    return ended.value.code or 0


def nothing(values: flags.FlagValues) -> None:
    """Accepts every value."""


def test_main_gets_the_flags_as_often_as_it_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen = []

    def main(values: flags.FlagValues) -> None:
        seen.append((values.name, values.size))

    assert run(monkeypatch, main, "--name=a", "--size=2") == 0
    assert run(monkeypatch, main, "--name", "b") == 0
    assert seen == [("a", 2), ("b", 1)]


# ml_collections loads a config with a method that Python is about to drop.
@pytest.mark.filterwarnings("ignore:the load_module:DeprecationWarning")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--name=a", "--sise=2"], "'sise'"),
        (["--name=a", "--size=0"], "--size=0"),
        (["--size=1"], "--name"),
        (["--name=a", "b"], "unexpected argument 'b'"),
        (["--name=a", "--config=CONFIG", "--config.sise=2"], "sise"),
        (["--name=a", "--config=CONFIG", "--config.model.size=2"], "model"),
        (["--name=a", "--config=CONFIG", "--config.size=x"], "--config.size=x"),
        (["--name=a", "--config=BROKEN"], "broken.py:1: "),
        (["--name=a", "--config=missing.py", "--config.size=2"], "missing.py"),
    ],
)
def test_bad_flags_are_one_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    message: str,
) -> None:
    config, broken = tmp_path / "config.py", tmp_path / "broken.py"
    config.write_text(CONFIG)
    broken.write_text("def get_config(:\n")
    arguments = [
        argument.replace("CONFIG", str(config)).replace("BROKEN", str(broken))
        for argument in arguments
    ]
    assert run(monkeypatch, nothing, *arguments) == 1
    error = capsys.readouterr().err
    assert message in error
    assert error.startswith("error: ")
    assert error.count("\n") == 1


def test_user_error_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def main(values: flags.FlagValues) -> None:
        raise UserError("train.en:7: invalid UTF-8")

    assert run(monkeypatch, main, "--name=a") == 1
    assert capsys.readouterr().err == "error: train.en:7: invalid UTF-8\n"


def test_bugs_keep_their_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def main(values: flags.FlagValues) -> None:
        raise AttributeError("a bug")

    monkeypatch.setattr(sys, "argv", ["binary", "--name=a"])
    with pytest.raises(AttributeError, match="a bug"):
        app.run(main, define_flags)


def test_help_tells_purpose_and_flags_without_running(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, nothing, "--help") == 0
    shown = capsys.readouterr().out
    assert shown.startswith("How binaries start and end.")
    assert "--size: Size." in shown


# A shell that starts its tests in the background has them ignore the interrupt.
BINARY = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
from nmt.cli import app

def main(values):
    while True:
        sys.stdout.write("line\\n" * 1000)
        sys.stdout.flush()
        time.sleep(0.01)

app.run(main, lambda values: None)
"""


def start_endless() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", BINARY],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    )


def test_closed_pipe_and_interrupt_end_without_a_word() -> None:
    closed, interrupted, ended = start_endless(), start_endless(), start_endless()
    for process in (closed, interrupted, ended):
        assert process.stdout.readline() == b"line\n"
    closed.stdout.close()
    interrupted.send_signal(signal.SIGINT)
    _, error = interrupted.communicate(timeout=60)
    assert (interrupted.returncode, error) == (130, b"")
    ended.send_signal(signal.SIGTERM)
    _, error = ended.communicate(timeout=60)
    assert (ended.returncode, error) == (143, b"")
    assert closed.wait(timeout=60) == 141
    with closed.stderr:
        assert closed.stderr.read() == b""


def test_tensorflows_notes_stay_out_of_the_log() -> None:
    def record(path: str, level: int) -> logging.LogRecord:
        return logging.LogRecord("absl", level, path, 1, "text", None, None)

    tensorflows = "/lib/tensorflow/python/checkpoint/sharding_util.py"
    assert not app._is_for_users(record(tensorflows, logging.INFO))
    assert app._is_for_users(record(tensorflows, logging.WARNING))
    assert app._is_for_users(record("/src/nmt/training/loop.py", logging.INFO))
