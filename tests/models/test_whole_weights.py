"""Slices of weights and slots are stored as wholes, bit for bit."""

import pathlib
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

from nmt.config import TrainingConfig
from nmt.distribution import DeviceGrid, Placement
from nmt.errors import UserError
from nmt.models import Seq2Seq
from nmt.models.weights import load_weights, save_weights
from nmt.models.whole_weights import WholeWeight, by_whole_path
from nmt.training.checkpoints import CheckpointStore, Counters
from nmt.training.optimizers import make_optimizer
from tests.models import sharded


def numbers(variables: Any) -> dict[str, np.ndarray]:
    return {path: each.numpy() for path, each in by_whole_path(variables).items()}


def assert_same(one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> None:
    assert one.keys() == other.keys()
    for path, value in one.items():
        np.testing.assert_array_equal(value, other[path], err_msg=path)


def optimizer_of(model: Seq2Seq) -> keras.optimizers.Optimizer:
    optimizer = make_optimizer(TrainingConfig(optimizer="adam"))
    optimizer.build(model.trainable_variables)
    return optimizer


@pytest.mark.parametrize("name", ["lstm", "tied"])
def test_names_and_initial_values_do_not_depend_on_the_slices(name: str) -> None:
    found = []
    for shards in (1, 4):
        keras.utils.set_random_seed(5)
        model = sharded.make_model(name, shards)
        found.append(numbers(model.weights) | numbers(optimizer_of(model).variables))
    assert_same(*found)


@pytest.mark.parametrize(("before", "after"), [(4, 3), (3, 1), (1, 4)])
def test_weights_are_read_into_other_numbers_of_slices(
    before: int, after: int, tmp_path: pathlib.Path
) -> None:
    saved = sharded.randomise(sharded.make_model("lstm", before))
    loaded = sharded.make_model("lstm", after)
    save_weights(saved, tmp_path)
    load_weights(loaded, tmp_path)
    assert_same(numbers(saved.weights), numbers(loaded.weights))


@pytest.mark.parametrize(("before", "after"), [(4, 3), (1, 4)])
def test_checkpoints_are_read_with_slots_into_other_numbers_of_slices(
    before: int, after: int, tmp_path: pathlib.Path
) -> None:
    random = np.random.default_rng(0)

    def store(shards: int) -> tuple[CheckpointStore, list[Any]]:
        model = sharded.make_model("tied", shards)
        optimizer = optimizer_of(model)
        store = CheckpointStore(tmp_path, model, optimizer, keep=2)
        return store, [*model.weights, *optimizer.variables]

    saver, saved = store(before)
    for variable in saved:
        variable.assign(random.normal(size=variable.shape).astype(variable.dtype))
    saver.save(Counters(100, "text", update=7))
    reader, restored = store(after)
    assert reader.restore(Counters(100, "text")).update == 7
    assert_same(numbers(saved), numbers(restored))
    # A mean of checkpoints that were written with other numbers of slices.
    reader.save(Counters(100, "text", update=8))
    reader.average(2)
    assert_same(numbers(saved), numbers(restored))


def test_slices_on_several_devices_are_stored_as_the_same_whole(
    tmp_path: pathlib.Path,
) -> None:
    with DeviceGrid([["CPU:0", "CPU:1", "CPU:2", "CPU:3"]]).scope():
        saved = sharded.make_model("lstm", Placement((0,), (1, 2, 3)))
        sharded.randomise(saved)
        save_weights(saved, tmp_path)
    loaded = sharded.make_model("lstm", 1)
    load_weights(loaded, tmp_path)
    assert_same(numbers(saved.weights), numbers(loaded.weights))


def test_weights_of_another_vocabulary_are_refused(tmp_path: pathlib.Path) -> None:
    save_weights(sharded.make_model("lstm", 3), tmp_path)
    other = sharded.make_model("lstm", 3, words=sharded.TARGET_WORDS + 1)
    with pytest.raises(UserError, match="of another model"):
        load_weights(other, tmp_path)


def test_a_whole_is_cut_along_its_axis() -> None:
    slices = [tf.Variable(tf.zeros([2, 3])), tf.Variable(tf.zeros([2, 1]))]
    whole = WholeWeight(slices, axis=1)
    whole.assign(np.arange(8.0, dtype=np.float32).reshape(2, 4))
    np.testing.assert_array_equal(slices[1], [[3.0], [7.0]])
    np.testing.assert_array_equal(
        whole.numpy(), np.arange(8.0, dtype=np.float32).reshape(2, 4)
    )
    with pytest.raises(ValueError, match=r"\(2, 5\) cannot be cut"):
        whole.assign(np.zeros([2, 5]))


def test_missing_slices_and_equal_paths_are_refused() -> None:
    with pytest.raises(ValueError, match="missing or out of order"):
        by_whole_path([keras.Variable(1.0, name="kernel_shard_1")])
    pair = [keras.Variable(1.0, name="kernel") for _ in range(2)]
    with pytest.raises(ValueError, match="have the path 'kernel'"):
        by_whole_path(pair)
