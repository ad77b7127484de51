"""Trainings that are killed or stopped, each in a process of its own."""

import json
import pathlib
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from tests.training import toy
from tests.training.test_run import saved_state

pytestmark = pytest.mark.slow

UPDATES = 40
SECONDS_TO_START = 300


def start(folder: pathlib.Path, run: str) -> subprocess.Popen:
    """Starts a training that is deterministic, with dropout and a falling rate."""
    command = [sys.executable, "-m", "nmt.cli.train", f"--run_dir={folder / run}"]
    if not (folder / run / "config.json").exists():
        config = toy.settings(folder)
        config.training.schedule = "linear"
        config.training.max_updates = UPDATES
        config.training.deterministic = True
        # Each update is logged, so that the test sees where the training is.
        config.training.log_every = 1
        module = folder / "config.py"
        module.write_text(
            "from nmt.config import Config\n"
            f"def get_config():\n    return Config.from_json({config.to_json()!r})\n"
        )
        command.append(f"--config={module}")
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True)


def last_update(run_dir: pathlib.Path) -> int:
    try:
        lines = (run_dir / "metrics.jsonl").read_text().splitlines()
    except FileNotFoundError:
        return 0
    updates = [0]
    for line in lines:
        try:
            updates.append(json.loads(line)["update"])
        except json.JSONDecodeError:
            break
    return max(updates)


def stop_after(process: subprocess.Popen, run_dir: pathlib.Path, update: int) -> None:
    deadline = time.monotonic() + SECONDS_TO_START
    while last_update(run_dir) < update:
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < deadline
        time.sleep(0.01)


def finish(process: subprocess.Popen) -> str:
    _, log = process.communicate(timeout=SECONDS_TO_START)
    assert process.returncode == 0, log
    return log


def assert_same_end(folder: pathlib.Path) -> None:
    whole, parts = saved_state(folder / "whole"), saved_state(folder / "parts")
    assert whole.keys() == parts.keys()
    for name, expected in whole.items():
        np.testing.assert_array_equal(parts[name], expected, err_msg=name)


def test_killed_training_ends_with_the_same_weights(tmp_path: pathlib.Path) -> None:
    toy.write_text(tmp_path)
    finish(start(tmp_path, "whole"))
    process = start(tmp_path, "parts")
    update = random.SystemRandom().randint(7, UPDATES - 7)
    stop_after(process, tmp_path / "parts", update)
    process.kill()
    process.communicate()
    assert last_update(tmp_path / "parts") < UPDATES
    log = finish(start(tmp_path, "parts"))
    assert "going on after update" in log
    print(f"killed after update {update}")  # noqa: T201 (shown where the test fails)
    assert_same_end(tmp_path)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_stopped_training_saves_where_it_is(
    tmp_path: pathlib.Path, number: int
) -> None:
    toy.write_text(tmp_path)
    process = start(tmp_path, "parts")
    stop_after(process, tmp_path / "parts", 7)
    process.send_signal(number)
    _, log = process.communicate(timeout=SECONDS_TO_START)
    assert process.returncode == 128 + number
    assert "the same command goes on from here" in log
    stopped = last_update(tmp_path / "parts")
    # No checkpoint is due at most updates: it was the signal that saved.
    assert f"going on after update {stopped}," in finish(start(tmp_path, "parts"))
