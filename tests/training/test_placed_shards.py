"""Updates with layers on some devices and slices of the vocabulary on others."""

import functools
import pathlib
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from nmt.distribution import DeviceGrid
from nmt.models.whole_weights import by_whole_path
from nmt.training.checkpoints import CheckpointStore, Counters
from tests.distribution.counting import products_by_device
from tests.training.test_placed_step import (
    EIGHT,
    ONE,
    SOURCE,
    TARGET,
    Made,
    copies,
)
from tests.training.test_placed_step import make as placed_model

# Two layers of the paper's four, for the time that it takes.
PAPER: dict[str, Any] = {"layers": (0, 1), "softmax_shards": 4}
SOME: dict[str, Any] = {
    "layers": (0, 1),
    "softmax_shards": 3,
    "softmax_stages": (2, 3, 2),
    "softmax_recompute": True,
}
# A replica on four devices: there are two.
HALF: dict[str, Any] = {
    "layers": (0, 1),
    "softmax_shards": 3,
    "softmax_stages": (2, 3, 0),
}
make = functools.partial(placed_model, num_layers=2)


@functools.cache
def trained_on_one_device() -> tuple[Made, dict[str, np.ndarray]]:
    """Returns a model after 5 updates, and its weights and slots before them."""
    made = make({})
    before = wholes(made)
    made.run(5)
    return made, before


def wholes(made: Made) -> dict[str, np.ndarray]:
    """Returns weights and slots by path, slices joined."""
    variables = [*made.model.weights, *made.optimizer.variables]
    return {path: each.numpy() for path, each in by_whole_path(variables).items()}


def assert_close(found: dict[str, np.ndarray], expected: dict[str, np.ndarray]) -> None:
    for path, value in expected.items():
        scale = np.max(np.abs(value))
        np.testing.assert_allclose(found[path], value, atol=1e-6 * scale, err_msg=path)


@pytest.mark.parametrize(
    ("placement", "devices"), [(SOME, ONE), (HALF, EIGHT)], ids=["one", "two"]
)
def test_updates_are_those_of_one_device(
    placement: dict[str, Any], devices: Any
) -> None:
    one, before = trained_on_one_device()
    several = make(placement, devices)
    for path, weight in by_whole_path(several.model.weights).items():
        weight.assign(before[path])
    several.run(5)
    assert_close(wholes(several), wholes(one))


@pytest.mark.slow
def test_the_papers_layout_is_one_device() -> None:
    """Four layers on devices 0 to 3, four slices on 4 to 7."""
    one = placed_model({})
    paper = placed_model({**PAPER, "layers": (0, 1, 2, 3)})
    with paper.layout.scope():
        products = products_by_device(
            paper.step._gradients, *map(tf.constant, (SOURCE, TARGET, 1.0))
        )
    # Each layer's in encoder and decoder, and each slice's, forward and backward.
    assert len({products[device] for device in range(4)}) == 1
    assert [products[device] for device in range(4, 8)] == [3, 3, 3, 3]
    before = wholes(one)
    for path, weight in by_whole_path(paper.model.weights).items():
        weight.assign(before[path])
    one.run(5)
    paper.run(5)
    assert_close(wholes(paper), wholes(one))
    places = {
        each.path: copies(each)[0]
        for each in [*paper.model.weights, *paper.optimizer.variables]
        if len(each.shape)
    }
    for path, place in places.items():
        if "_shard_" in path:
            assert place == 4 + int(path.partition("_shard_")[2][0]), path
        else:
            # optimizer/seq2seq_encoder_stack_lstm_1_lstm_cell_kernel_momentum
            layer = path.replace("/", "_").partition("_lstm_lstm_")[2][:1]
            layer = layer or path.replace("/", "_").partition("_stack_lstm_")[2][:1]
            assert place == int(layer), path


def test_slices_slots_and_products_are_on_their_devices() -> None:
    made = make(PAPER)
    slices = [
        each
        for each in [*made.model.weights, *made.optimizer.variables]
        if "_shard_" in each.path
    ]
    # Two tables, matrix and bias, each with two slots of Adam.
    assert len(slices) == 4 * 4 * 3
    for each in slices:
        number = int(each.path.partition("_shard_")[2][0])
        assert copies(each) == [2 + number], each.path
    with made.layout.scope():
        found = products_by_device(made.step, SOURCE, TARGET, 0.01)
    # Besides those of encoder and decoder, forward and backward.
    assert [found[device] for device in range(2, 6)] == [3, 3, 3, 3]
    assert set(found) == set(range(6))


def test_checkpoints_go_to_one_device_and_back(tmp_path: pathlib.Path) -> None:
    counters = Counters(5, "text", update=2)
    half = make(HALF, EIGHT)
    half.run(2)

    def store(made: Made, folder: str) -> CheckpointStore:
        return CheckpointStore(tmp_path / folder, made.model, made.optimizer, keep=1)

    with half.layout.scope():
        store(half, "half").save(counters)
    one, paper = make({}), make(PAPER)
    store(one, "half").restore(counters)
    store(one, "one").save(counters)
    with paper.layout.scope():
        store(paper, "one").restore(counters)
    expected = wholes(half)
    for made in (one, paper):
        found = wholes(made)
        assert found.keys() == expected.keys()
        for path, value in expected.items():
            np.testing.assert_array_equal(found[path], value, err_msg=path)
    assert isinstance(paper.layout.grid, DeviceGrid)
