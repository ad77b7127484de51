"""Whole trainings of a toy model in this process."""

import json
import pathlib

import numpy as np
import pytest
import tensorflow as tf

from nmt.config import Config
from nmt.errors import UserError
from nmt.models.run_folder import RunFolder
from nmt.training.loop import End
from nmt.training.run import train
from tests.training import toy


@pytest.fixture
def config(tmp_path: pathlib.Path) -> Config:
    toy.write_text(tmp_path)
    return toy.settings(tmp_path)


def saved_state(run_dir: pathlib.Path) -> dict[str, np.ndarray]:
    """Returns everything in the newest checkpoint but the counter of saves."""
    reader = tf.train.load_checkpoint(str(run_dir / "checkpoints"))
    names = reader.get_variable_to_shape_map()
    kept = [
        name for name in names if "save_counter" not in name and "CHECK" not in name
    ]
    return {name: reader.get_tensor(name) for name in kept}


def records(run_dir: pathlib.Path, kind: str) -> list[dict]:
    lines = (run_dir / "metrics.jsonl").read_text().splitlines()
    return [each for each in map(json.loads, lines) if each["kind"] == kind]


def test_stopped_training_goes_on_bit_for_bit(
    config: Config, tmp_path: pathlib.Path
) -> None:
    config.training.max_updates = 30
    train(config, tmp_path / "whole")
    config.training.max_updates = 10  # within an epoch and within a pool
    train(config, tmp_path / "parts")
    config.training.max_updates = 30
    assert train(config, tmp_path / "parts") is End.COMPLETE
    whole, parts = saved_state(tmp_path / "whole"), saved_state(tmp_path / "parts")
    assert whole.keys() == parts.keys()
    assert any("optimizer" in name for name in whole)
    assert any("seed" in name for name in whole)
    for name, expected in whole.items():
        np.testing.assert_array_equal(parts[name], expected, err_msg=name)
    losses = [
        [record["nats_per_token"] for record in records(tmp_path / name, "validation")]
        for name in ("whole", "parts")
    ]
    assert losses[0] == losses[1]
    assert len(losses[0]) == 3


def test_run_folder_holds_everything_and_can_be_moved(
    config: Config, tmp_path: pathlib.Path
) -> None:
    config.training.average_checkpoints = 2
    train(config, tmp_path / "run")
    (tmp_path / "run").rename(tmp_path / "moved")
    folder = RunFolder(tmp_path / "moved")
    for name in ("best", "last", "average"):
        loaded = folder.load_model(name)
        assert loaded.config == config
    assert records(folder.path, "average")
    assert records(folder.path, "training")[-1]["update"] == 20


def test_average_is_the_mean_of_the_last_checkpoints(
    config: Config, tmp_path: pathlib.Path
) -> None:
    config.training.average_checkpoints = 2
    train(config, tmp_path / "run")
    name = "seq2seq/decoder/projection/bias"
    weights = {w.path: w.numpy() for w in average(tmp_path / "run").weights}
    prefix = str(tmp_path / "run" / "checkpoints" / "training-")
    key = f"model/{name.replace('/', '.S')}/.ATTRIBUTES/VARIABLE_VALUE"
    last = [tf.train.load_variable(f"{prefix}{update}", key) for update in (15, 20)]
    assert not np.array_equal(*last)
    np.testing.assert_allclose(weights[name], np.mean(last, axis=0), atol=1e-7)


def average(run_dir: pathlib.Path) -> tf.Module:
    return RunFolder(run_dir).load_model("average").model


def test_patience_ends_training(config: Config, tmp_path: pathlib.Path) -> None:
    config.training.learning_rate = 0.0
    config.training.patience = 2
    config.training.max_updates = 100
    assert train(config, tmp_path / "run") is End.PATIENCE
    # The first evaluation is the best one; the next two are no better.
    assert records(tmp_path / "run", "validation")[-1]["update"] == 30


def test_nonfinite_updates_end_training_with_the_last_checkpoint_kept(
    config: Config, tmp_path: pathlib.Path
) -> None:
    train(config, tmp_path / "run")
    before = saved_state(tmp_path / "run")
    config.training.max_updates = 40
    config.training.learning_rate = float("inf")
    config.training.max_nonfinite_updates = 3
    with pytest.raises(UserError, match="3 updates in a row had a gradient"):
        train(config, tmp_path / "run")
    kept = saved_state(tmp_path / "run")
    for name, expected in before.items():
        np.testing.assert_array_equal(kept[name], expected)


def test_training_text_that_changed_is_refused(
    config: Config, tmp_path: pathlib.Path
) -> None:
    train(config, tmp_path / "run")
    with (tmp_path / "source").open("a") as file:
        file.write("a b\n")
    with (tmp_path / "target").open("a") as file:
        file.write("a b\n")
    before = (tmp_path / "run" / "config.json").read_text()
    config.training.log_every = 3
    with pytest.raises(UserError, match="not those of this run"):
        train(config, tmp_path / "run")
    # What was refused is not what the next run goes on with.
    assert (tmp_path / "run" / "config.json").read_text() == before


def test_too_little_text_to_hold_out_is_refused(
    config: Config, tmp_path: pathlib.Path
) -> None:
    for side in ("source", "target"):
        (tmp_path / side).write_text("a b\n" * 5)
    with pytest.raises(UserError, match="5 training pairs are too few"):
        train(config, tmp_path / "run")


def test_static_shapes_train(config: Config, tmp_path: pathlib.Path) -> None:
    config.batching.bucket_boundaries = (4, 8)
    config.data.max_source_length = config.data.max_target_length = 7
    assert train(config, tmp_path / "run") is End.COMPLETE


def test_a_run_goes_on_with_another_placement(
    config: Config, tmp_path: pathlib.Path
) -> None:
    config.model.num_layers = 2
    config.training.max_updates = 2
    config.placement.layers = (1, 3)
    train(config, tmp_path / "run")
    before = saved_state(tmp_path / "run")
    config.placement.layers, config.placement.chunk_length = (0, 2), 3
    config.training.max_updates = 4
    assert train(config, tmp_path / "run") is End.COMPLETE
    after = saved_state(tmp_path / "run")
    # The counters are bytes.
    assert {name: np.shape(value) for name, value in before.items()} == {
        name: np.shape(value) for name, value in after.items()
    }
    # On one device.
    loaded = RunFolder(tmp_path / "run").load_model("last")
    for weight in loaded.model.weights:
        assert weight.value.device.endswith("CPU:0")
