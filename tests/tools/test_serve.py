"""The server as a process."""

import pathlib
import subprocess
import sys

import pytest

SCRIPT = pathlib.Path(__file__).parents[2] / "tools" / "serve.py"

pytest.importorskip("aiohttp", reason="the extra `serve` is not installed")


def test_a_folder_without_a_model_is_one_line(tmp_path: pathlib.Path) -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), f"--model={tmp_path}"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    errors = [each for each in done.stderr.splitlines() if "error: " in each]
    assert errors == [
        f"error: {tmp_path}: no exported model here, nor a version of one"
    ]
    assert "Traceback" not in done.stderr
