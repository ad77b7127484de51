"""Several processes that train one model, as several hosts would."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from nmt.config import Config, DistributionConfig, PlacementConfig
from nmt.models.run_folder import RunFolder
from nmt.training.run import train
from tests.training.toy import settings, write_text

ROOT = pathlib.Path(__file__).parents[2]
LAUNCH = [sys.executable, str(ROOT / "tools" / "launch_workers.py")]
SEVERAL = {"distribution__strategy": "multi_worker"}


def command(folder: pathlib.Path, run: str, **changed: Any) -> list[str]:
    """Returns an `nmt-train` of the toy task."""
    config = settings(folder)
    config.model.dropout, config.batching.batch_size = 0.0, 7
    for name, value in changed.items():
        section, _, field = name.partition("__")
        setattr(getattr(config, section), field, value)
    module = folder / f"{run}.py"
    module.write_text(
        "from nmt.config import Config\n"
        f"def get_config():\n    return Config.from_json({config.to_json()!r})\n"
    )
    program = [sys.executable, "-m", "nmt.cli.train"]
    return [*program, f"--config={module}", f"--run_dir={folder / run}"]


def launch(arguments: list[str], *options: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(
        [*LAUNCH, *options, "--", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment,
    )


def wait(process: subprocess.Popen[str]) -> str:
    output, _ = process.communicate(timeout=300)
    assert process.returncode == 0, output
    return output


def values(folder: pathlib.Path) -> dict[str, np.ndarray]:
    """Returns what the newest checkpoint of a run folder holds."""
    prefix = tf.train.latest_checkpoint(str(RunFolder(folder).checkpoints))
    reader = tf.train.load_checkpoint(prefix)
    return {
        name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()
    }


@pytest.mark.slow
def test_updates_are_those_of_one_process(tmp_path: pathlib.Path) -> None:
    write_text(tmp_path)
    limits = {"training__max_updates": 5, "training__evaluate_every": 3}
    placed = {"placement__layers": (1,), "placement__softmax_shards": 3}
    devices = {"distribution__logical_devices": 3, **SEVERAL}
    output = wait(launch(command(tmp_path, "two", **limits, **placed, **devices)))
    assert output.count("2 replica(s)") == 2
    # Each batch of 7 is shared out unevenly.
    subprocess.run(command(tmp_path, "one", **limits), check=True, capture_output=True)
    found, expected = values(tmp_path / "two"), values(tmp_path / "one")
    assert found.keys() == expected.keys()
    weights = [name for name in expected if name.startswith("model/seq2seq")]
    assert len(weights) > 8
    for name in weights:
        scale = np.max(np.abs(expected[name]))
        np.testing.assert_allclose(
            found[name], expected[name], atol=1e-6 * scale, err_msg=name
        )
    # One line of figures for each, from one process.
    metrics = RunFolder(tmp_path / "two").metrics_file.read_text().splitlines()
    figures = [json.loads(line) for line in metrics]
    assert [each["update"] for each in figures if each["kind"] == "validation"] == [
        3,
        5,
    ]
    # One process goes on from it, bit for bit.
    config = Config.load(RunFolder(tmp_path / "two").config_file)
    config.distribution, config.placement = DistributionConfig(), PlacementConfig()
    train(config, tmp_path / "two")
    resumed = values(tmp_path / "two")
    for name in weights:
        np.testing.assert_array_equal(resumed[name], found[name])


@pytest.mark.slow
def test_a_killed_worker_comes_back(tmp_path: pathlib.Path) -> None:
    write_text(tmp_path)
    arguments = command(
        tmp_path,
        "killed",
        training__max_updates=600,
        training__checkpoint_every=20,
        training__evaluate_every=1000,
        training__max_epochs=1000.0,
        **SEVERAL,
    )
    process = launch(arguments, "--restarts=1")
    folder = RunFolder(tmp_path / "killed")

    def kill_one() -> None:
        while not (folder.checkpoints / "checkpoint").exists():
            time.sleep(0.1)
        children = subprocess.run(
            ["pgrep", "-P", str(process.pid)], capture_output=True, text=True
        ).stdout.split()
        os.kill(int(children[-1]), signal.SIGKILL)

    killer = threading.Thread(target=kill_one, daemon=True)
    killer.start()
    output = wait(process)
    killer.join()
    assert "starting all processes again" in output
    assert output.count("going on after update") == 2
    assert "Traceback" not in output
    updates = [
        json.loads(line)["update"]
        for line in folder.metrics_file.read_text().splitlines()
        if json.loads(line)["kind"] == "training"
    ]
    assert updates == sorted(set(updates))
    assert updates[-1] == 600
