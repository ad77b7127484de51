"""The launcher of several processes, with commands that need no TensorFlow."""

import json
import pathlib
import subprocess
import sys

import pytest

from tools.launch_workers import task_environments

PROGRAM = pathlib.Path(__file__).parents[2] / "tools" / "launch_workers.py"
INDEX = "import json, os; i = json.loads(os.environ['TF_CONFIG'])['task']['index']\n"


def launch(code: str, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(PROGRAM), *options, "--", sys.executable, "-c"]
    return subprocess.run(
        [*command, INDEX + code], capture_output=True, text=True, timeout=120
    )


def test_each_process_knows_all_addresses_and_its_own_place() -> None:
    configs = [json.loads(each["TF_CONFIG"]) for each in task_environments(3)]
    assert [each["task"]["index"] for each in configs] == [0, 1, 2]
    (addresses,) = {tuple(each["cluster"]["worker"]) for each in configs}
    assert len(set(addresses)) == 3


def test_lines_say_whose_they_are() -> None:
    done = launch("print('line', i)", "--workers=2")
    assert done.returncode == 0
    assert sorted(done.stdout.splitlines()) == ["0: line 0", "1: line 1"]


@pytest.mark.parametrize("restarts", [0, 2])
def test_a_failure_is_the_status_after_all_restarts(restarts: int) -> None:
    done = launch("print('here'); exit(3 * i)", f"--restarts={restarts}")
    assert done.returncode == 3
    assert done.stdout.count("1: here") == restarts + 1
    assert done.stdout.count("exit status 3: starting all") == restarts


def test_a_killed_process_counts_as_failed() -> None:
    done = launch("import signal; i or os.kill(os.getpid(), signal.SIGKILL)")
    assert done.returncode == 128 + 9


def test_a_later_start_that_succeeds_is_a_success(tmp_path: pathlib.Path) -> None:
    code = f"p = '{tmp_path}/' + str(i); old = os.path.exists(p); open(p, 'w')\n"
    done = launch(code + "exit(0 if old else 5)", "--restarts=1")
    assert done.returncode == 0


def test_no_command_is_said() -> None:
    done = subprocess.run(
        [sys.executable, str(PROGRAM)], capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "give a command after --" in done.stdout + done.stderr
