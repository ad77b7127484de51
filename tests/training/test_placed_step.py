"""Updates with the layers on several devices, in one replica and in two."""

import functools
import pathlib
from typing import Any, NamedTuple

import keras
import numpy as np
import pytest
import tensorflow as tf

from nmt.config import DistributionConfig, ModelConfig, PlacementConfig, TrainingConfig
from nmt.distribution import Layout, make_layout
from nmt.models import Seq2Seq, build_model
from nmt.training.checkpoints import CheckpointStore, Counters
from nmt.training.optimizers import make_optimizer
from nmt.training.step import TrainStep
from tests.distribution.counting import products_by_device

SOURCE = np.array(
    [[5, 5, 6, 3], [6, 3, 0, 0], [5, 4, 3, 0], [7, 7, 3, 0], [4, 3, 0, 0]], np.int32
)
TARGET = np.array([[4, 4, 3], [6, 3, 0], [3, 0, 0], [5, 4, 3], [4, 3, 0]], np.int32)
# The softmax with the lowest layer: four devices a replica.
PAPER: dict[str, Any] = {"layers": (0, 1, 2, 3), "softmax_stages": (0,)}
ONE, EIGHT = DistributionConfig(), DistributionConfig(strategy="mirrored")
RECIPE = TrainingConfig(optimizer="adam", max_gradient_norm=0.2)
# Attention with a layer above it, and all that a stack can have.
ATTENTION: dict[str, Any] = {
    "num_layers": 2,
    "attention": "bahdanau",
    "attention_size": 3,
    "bidirectional": True,
    "deep_output": "tanh",
    "output_size": 4,
    "residual": True,
    "layer_norm": True,
    "cell": "gru",
}


class Made(NamedTuple):
    """A model, its step and its optimizer, in a layout."""

    layout: Layout
    model: Seq2Seq
    step: TrainStep
    optimizer: keras.optimizers.Optimizer

    def run(self, updates: int) -> None:
        with self.layout.scope():
            for _ in range(updates):
                _, made = self.step(tf.constant(SOURCE), tf.constant(TARGET), 0.01)
                assert made


def make(
    placement: dict[str, Any], devices: DistributionConfig = ONE, **settings: Any
) -> Made:
    """Returns a model whose weights are the same at every call."""
    sizes = {"embedding_size": 3, "hidden_size": 4, "num_layers": 4, "dropout": 0.0}
    config = ModelConfig(**{**sizes, **settings})
    layout = make_layout(devices, PlacementConfig(**placement), config.num_layers)
    with layout.scope():
        with layout.strategy.scope():
            model = build_model(config, 8, 7, layout.placement)
            optimizer = make_optimizer(RECIPE)
        step = TrainStep(model, optimizer, layout.strategy, RECIPE)
    generator = np.random.default_rng(3)
    model.set_weights([generator.normal(0, 0.5, w.shape) for w in model.weights])
    return Made(layout, model, step, optimizer)


def layer_of(path: str) -> int:
    """Returns the stage of a weight in `PAPER`: its layer, or 0."""
    numbers = [
        int(part.rpartition("_")[2])
        for part in path.split("/")
        if part.startswith("lstm_") and part != "lstm_cell"
    ]
    return numbers[0] if numbers else 0


def copies(variable: keras.Variable) -> list[int]:
    """Returns the devices of a variable, one for each replica."""
    values = getattr(variable.value, "values", [variable.value])
    return [tf.DeviceSpec.from_string(each.device).device_index for each in values]


def assert_equal_weights(one: Seq2Seq, other: Seq2Seq) -> None:
    for expected, found in zip(one.weights, other.weights, strict=True):
        scale = np.max(np.abs(expected.numpy()))
        np.testing.assert_allclose(
            found.numpy(), expected.numpy(), atol=1e-6 * scale, err_msg=expected.path
        )


def test_updates_are_those_of_one_device() -> None:
    one = make({})
    one.run(5)
    for devices in (ONE, EIGHT):
        several = make(PAPER, devices)
        several.run(5)
        assert_equal_weights(one.model, several.model)


def test_updates_with_attention_are_those_of_one_device() -> None:
    one, several = make({}, **ATTENTION), make({"layers": (1, 3)}, **ATTENTION)
    one.run(2)
    several.run(2)
    assert_equal_weights(one.model, several.model)
    stages = {
        each.path: copies(each)[0]
        for each in several.model.weights
        if "encoder/stack" in each.path or "decoder/upper" in each.path
    }
    assert set(stages.values()) == {1, 3}
    for path, stage in stages.items():
        upper = "upper" in path or "_1" in path
        assert stage == (3 if upper else 1), path


@functools.cache
def placed_paper(replicas: int) -> tuple[Made, dict[int, int]]:
    """Returns a placed model and the products of its gradients, by device."""
    made = make(PAPER, ONE if replicas == 1 else EIGHT)
    with made.layout.scope():
        arguments = tf.constant(SOURCE), tf.constant(TARGET), tf.constant(1.0)
        return made, products_by_device(made.step._gradients, *arguments)


@pytest.mark.parametrize("replicas", [1, 2])
def test_products_of_each_layer_are_on_its_device(replicas: int) -> None:
    _, found = placed_paper(replicas)
    plain = make({})
    (total,) = products_by_device(
        plain.step._gradients, *map(tf.constant, (SOURCE, TARGET, 1.0))
    ).values()
    # The first device has the softmax as well: one product, and two backward.
    for first in range(0, 4 * replicas, 4):
        stages = [found[first + stage] for stage in range(4)]
        assert sum(stages) == total
        assert stages == [stages[1] + 3, stages[1], stages[1], stages[1]]


@pytest.mark.parametrize("replicas", [1, 2])
def test_weights_slots_and_gradients_are_with_their_layer(replicas: int) -> None:
    made, _ = placed_paper(replicas)
    weights = {
        weight.path: [layer_of(weight.path) + 4 * each for each in range(replicas)]
        for weight in made.model.trainable_variables
    }
    assert sum(devices[0] == 3 for devices in weights.values()) == 6
    for weight in made.model.trainable_variables:
        assert copies(weight) == weights[weight.path], weight.path
    slots = [each for each in made.optimizer.variables if len(each.shape)]
    assert len(slots) == 2 * len(weights)
    for slot in slots:
        # optimizer/seq2seq_encoder_stack_lstm_1_lstm_cell_kernel_momentum
        (path,) = [path for path in weights if path.replace("/", "_") in slot.path]
        assert copies(slot) == weights[path], slot.path
    with made.layout.scope():
        _, gradients = made.step._gradients(*map(tf.constant, (SOURCE, TARGET, 1.0)))
    for weight, gradient in zip(made.model.trainable_variables, gradients, strict=True):
        values = getattr(gradient, "values", [gradient])
        specs = [tf.DeviceSpec.from_string(each.backing_device) for each in values]
        found = [spec.device_index for spec in specs]
        assert found == weights[weight.path], weight.path


def test_checkpoints_move_between_layouts_exactly(tmp_path: pathlib.Path) -> None:
    mirrored = DistributionConfig(strategy="mirrored", replicas=2)
    layouts = [(PAPER, EIGHT), ({}, ONE), ({"layers": (0, 0, 1, 1)}, ONE)]
    layouts += [({}, mirrored), (PAPER, EIGHT)]
    expected: list[np.ndarray] = []
    for number, (placement, devices) in enumerate(layouts):
        made = make(placement, devices)
        store = CheckpointStore(tmp_path, made.model, made.optimizer, keep=9)
        counters = store.restore(Counters(1, "pairs"))
        state = [each for each in made.optimizer.variables if "rate" not in each.path]
        state += made.model.weights
        if number == 0:
            generator = np.random.default_rng(5)
            for each in state:
                each.assign(generator.integers(0, 9, each.shape).astype(each.dtype))
            expected = [each.numpy() for each in state]
        assert counters.update == number
        for each, value in zip(state, expected, strict=True):
            for copy in getattr(each.value, "values", [each.value]):
                np.testing.assert_array_equal(copy, value)
        counters.update += 1
        store.save(counters)


@pytest.mark.parametrize("variational", [False, True])
def test_dropout_of_layers_on_several_devices_trains(variational: bool) -> None:
    options = {"num_layers": 2, "dropout": 0.5, "variational_dropout": variational}
    make({"layers": (0, 2)}, **options).run(2)
