"""Starts a training as several processes of this machine, joined by TF_CONFIG.

    tools/launch_workers.py --workers=2 -- nmt-train --source=train.en \
        --target=train.fr --run_dir=runs/2 --config.distribution.strategy=multi_worker

It is for trying what several hosts do; there each starts the command itself, with its
own TF_CONFIG. When one process fails the others are stopped, and all begin again from
the last checkpoint, `--restarts` times.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from typing import IO

from absl import app, flags

_WORKERS = flags.DEFINE_integer("workers", 2, "Processes.", lower_bound=1)
_RESTARTS = flags.DEFINE_integer("restarts", 0, "Fresh starts after a failure.")
# Time in which a process that was told to end may save its state.
_GRACE_SECONDS = 60.0


def task_environments(workers: int) -> list[dict[str, str]]:
    """Returns the environment of every process, with TF_CONFIG for free ports."""
    sockets = [socket.create_server(("localhost", 0)) for _ in range(workers)]
    addresses = [f"localhost:{each.getsockname()[1]}" for each in sockets]
    for each in sockets:
        each.close()
    return [
        {
            **os.environ,
            "TF_CONFIG": json.dumps(
                {
                    "cluster": {"worker": addresses},
                    "task": {"type": "worker", "index": index},
                }
            ),
        }
        for index in range(workers)
    ]


def run_once(command: Sequence[str], workers: int) -> int:
    """Runs a command in every process; returns the first exit status that is not 0.

    Lines of output are preceded by the number of their process. SIGINT and SIGTERM are
    passed on.
    """
    processes = [
        subprocess.Popen(
            command,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        for environment in task_environments(workers)
    ]

    def tell_all(number: int, frame: object = None) -> None:
        for process in processes:
            if process.poll() is None:
                process.send_signal(number)

    former = {
        number: signal.signal(number, tell_all)
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    readers = [
        threading.Thread(target=_copy, args=(index, process.stdout))
        for index, process in enumerate(processes)
        if process.stdout
    ]
    for reader in readers:
        reader.start()
    try:
        return _first_failure(processes)
    finally:
        tell_all(signal.SIGKILL)
        for reader in readers:
            reader.join()
        for number, handler in former.items():
            signal.signal(number, handler)


def _first_failure(processes: Sequence[subprocess.Popen[str]]) -> int:
    status, deadline = 0, float("inf")
    while any(process.poll() is None for process in processes):
        failed = [each.returncode for each in processes if each.returncode]
        if failed and not status:
            status, deadline = failed[0], time.monotonic() + _GRACE_SECONDS
        if time.monotonic() > deadline:
            return status
        time.sleep(0.1)
    return status or next((each.returncode for each in processes if each.returncode), 0)


def _copy(index: int, lines: IO[str]) -> None:
    for line in lines:
        sys.stdout.write(f"{index}: {line}")
        sys.stdout.flush()


def main(arguments: Sequence[str]) -> None:
    """Runs the command, again after failures."""
    command = list(arguments[1:])
    if not command:
        raise app.UsageError("give a command after --")
    for attempt in range(_RESTARTS.value + 1):
        status = run_once(command, _WORKERS.value)
        # A negative status is a signal's: 128 + its number, as a shell says it.
        status = status if status >= 0 else 128 - status
        stopped = status in (128 + signal.SIGINT, 128 + signal.SIGTERM)
        if status == 0 or stopped or attempt == _RESTARTS.value:
            sys.exit(status)
        print(f"exit status {status}: starting all processes again", flush=True)


if __name__ == "__main__":
    app.run(main)
