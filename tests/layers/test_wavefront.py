"""Stacks that run chunk by chunk: the numbers of whole sequences."""

from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

from nmt.distribution import DeviceGrid
from nmt.layers import GRUStack, LSTMStack
from tests.distribution.counting import products_by_device

BATCH, TIME, WIDTH, UNITS, LAYERS = 2, 7, 5, 4, 3
STAGES = [2, 0, 1]
GRID = [["CPU:0", "CPU:1", "CPU:2"]]
EVERYTHING: dict[str, Any] = {"residual": True, "layer_norm": True, "dropout": 0.5}
STATIC = [BATCH, TIME, WIDTH]
DYNAMIC = [None, None, WIDTH]


def make(kind: Any, chunk_length: int, **options: Any) -> Any:
    """Returns a stack with the weights, and the dropout, of every other one."""
    stack = kind(
        UNITS, LAYERS, chunk_length=chunk_length, seed=1, stages=STAGES, **options
    )
    stack.build((None, None, WIDTH))
    random = np.random.default_rng(0)
    stack.set_weights([random.normal(0, 0.5, w.shape) for w in stack.weights])
    return stack


def problem(stack: Any) -> tuple[tf.Tensor, list[Any], tf.Tensor]:
    random = np.random.default_rng(1)

    def draw(*shape: int) -> tf.Tensor:
        return tf.constant(random.normal(size=shape), tf.float32)

    kind = stack.layer_type.state_type
    start = [kind(*[draw(BATCH, UNITS) for _ in kind._fields]) for _ in range(LAYERS)]
    return draw(*STATIC), start, tf.sequence_mask([TIME, 3], TIME)


def gradients(stack: Any, inputs: tf.Tensor, start: Any, mask: tf.Tensor) -> list[Any]:
    """Returns a loss of outputs and states, and its gradients."""
    with tf.GradientTape() as tape:
        tape.watch((inputs, start))
        outputs, state = stack(inputs, initial_state=start, mask=mask, training=True)
        weighted = (
            outputs
            * tf.range(1.0, tf.cast(tf.shape(outputs)[1] + 1, tf.float32))[
                :, tf.newaxis
            ]
        )
        loss = tf.reduce_sum(tf.where(mask[:, :, tf.newaxis], weighted, 0.0))
        loss += tf.add_n([tf.reduce_sum(part**2) for part in tf.nest.flatten(state)])
    weights = [weight.value for weight in stack.trainable_variables]
    return [loss, *tape.gradient(loss, [inputs, *tf.nest.flatten(start), *weights])]


def in_graph(stack: Any, shape: list[int | None], grid: bool = False) -> list[Any]:
    signature = [tf.TensorSpec(shape)]
    inputs, start, mask = problem(stack)
    function = tf.function(
        lambda given: gradients(stack, given, start, mask), input_signature=signature
    )
    if not grid:
        return function(inputs)
    with DeviceGrid(GRID).scope():
        return function(inputs)


def assert_equal(found: list[Any], expected: list[Any]) -> None:
    for one, other in zip(found, expected, strict=True):
        scale = max(1.0, np.max(np.abs(other)))
        np.testing.assert_allclose(one, other, atol=2e-6 * scale)


@pytest.mark.parametrize("kind", [LSTMStack, GRUStack])
@pytest.mark.parametrize(
    "options",
    [{}, EVERYTHING, {"dropout": 0.5, "variational_dropout": True}],
    ids=["plain", "everything", "variational"],
)
def test_every_chunking_has_the_same_numbers(kind: Any, options: dict) -> None:
    whole = make(kind, 0, **options)
    expected = gradients(whole, *problem(whole))
    for chunk_length in (1, 3, 7, 9):
        stack = make(kind, chunk_length, **options)
        assert_equal(gradients(stack, *problem(stack)), expected)


@pytest.mark.parametrize("shape", [STATIC, DYNAMIC], ids=["static", "dynamic"])
def test_graphs_on_several_devices_have_the_same_numbers(shape: list) -> None:
    whole, stack = make(LSTMStack, 0, **EVERYTHING), make(LSTMStack, 3, **EVERYTHING)
    expected = gradients(whole, *problem(whole))
    assert_equal(in_graph(stack, shape, grid=True), expected)


def operations(chunk_length: int, operation: str) -> tuple[LSTMStack, dict[int, int]]:
    """Returns a stack on its stages, and operations of its gradients by device."""
    with DeviceGrid(GRID).scope():
        stack = LSTMStack(UNITS, LAYERS, chunk_length=chunk_length, stages=STAGES)
        stack.build((None, None, WIDTH))
        function = tf.function(lambda *given: gradients(stack, *given))
        given = problem(stack)
        return stack, products_by_device(function, *given, operation=operation)


def test_products_of_each_layer_are_on_its_device() -> None:
    stack, found = operations(3, "MatMul")
    for layer, stage in zip(stack.recurrent_layers, STAGES, strict=True):
        device = tf.DeviceSpec.from_string(layer.cell.kernel.value.device)
        assert device.device_index == stage
    # W x and U h forward; backward by and with respect to each.
    assert found == {0: 6, 1: 6, 2: 6}


def test_gradients_of_each_layer_add_up_on_its_device() -> None:
    _, whole = operations(0, "AddV2")
    _, in_chunks = operations(3, "AddV2")
    for stage in STAGES:
        # W, U and b.
        assert in_chunks[stage] >= whole[stage] + 3


def test_chunks_are_for_training_alone() -> None:
    stack = make(LSTMStack, 3, dropout=0.5)
    inputs, start, mask = problem(stack)
    outputs, _ = stack(inputs, initial_state=start, mask=mask)
    expected, _ = make(LSTMStack, 0)(inputs, initial_state=start, mask=mask)
    np.testing.assert_array_equal(outputs, expected)


def test_half_precision_keeps_its_types() -> None:
    stack = LSTMStack(UNITS, LAYERS, chunk_length=3, dtype="mixed_bfloat16")
    outputs, state = stack(tf.ones([BATCH, TIME, WIDTH]), training=True)
    assert outputs.dtype == tf.bfloat16
    assert {part.dtype for part in tf.nest.flatten(state)} == {tf.float32}


def test_fit_lowers_the_loss() -> None:
    inputs = keras.Input((TIME, WIDTH))
    outputs, _ = LSTMStack(UNITS, LAYERS, chunk_length=3)(inputs)
    model = keras.Model(inputs, keras.layers.Dense(1)(outputs))
    model.compile(keras.optimizers.Adam(0.05), "mse")
    data = np.ones([4, TIME, WIDTH]), np.ones([4, TIME, 1])
    losses = model.fit(*data, epochs=12, verbose=0).history["loss"]
    assert losses[-1] < 0.5 * losses[0]
