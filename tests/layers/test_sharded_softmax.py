"""The sharded softmax against the dense one and against float64 NumPy."""

from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

from nmt.distribution import DeviceGrid
from nmt.layers import ShardedSoftmax
from tests.distribution.counting import products_by_device
from tests.layers.cases import EXECUTIONS
from tests.reference import sharded_softmax as reference
from tests.tolerance import assert_close

ONE = [["CPU:0", "CPU:1", "CPU:2", "CPU:3"]]
INPUTS = np.random.default_rng(0).normal(0, 3, (6, 4)).astype(np.float32)
TARGETS = np.array([0, 9, 3, 3, 8, 1])
SHARES = np.outer([0.7, -0.3], np.arange(1.0, 7)).astype(np.float32)


def make(shards: int, tied: bool = False, **options: Any) -> tuple[Any, Any]:
    """Returns the layer, and its tables if it is tied."""
    layer = ShardedSoftmax(
        10,
        shards,
        tied=tied,
        kernel_initializer=keras.initializers.RandomNormal(seed=1),
        bias_initializer=keras.initializers.RandomNormal(stddev=1.0, seed=2),
        **options,
    )
    layer.build((None, 4))
    table = np.random.default_rng(3).normal(size=(10, 4)).astype(np.float32)
    if not tied:
        return layer, None
    rows = [slice(*shard) for shard in layer.vocabulary]
    return layer, [keras.Variable(table[each]) for each in rows]


def matrix(layer: Any, tables: Any) -> np.ndarray:
    """Returns W, `[width, vocabulary]`."""
    if tables is not None:
        return np.concatenate([each.numpy() for each in tables]).T
    return np.concatenate([each.numpy() for each in layer.kernels], axis=1)


def bias(layer: Any) -> np.ndarray:
    return np.concatenate([each.numpy() for each in layer.biases])


def run(layer: Any, tables: Any, smoothing: float, execution: str) -> Any:
    """Returns both losses and the gradients of inputs, kernels and biases."""
    weights = [each.value for each in [*(tables or layer.kernels), *layer.biases]]

    def losses() -> Any:
        inputs = tf.constant(INPUTS)
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            found = layer.token_losses(inputs, tf.constant(TARGETS), smoothing, tables)
            total = tf.reduce_sum(tf.stack(found) * SHARES)
        return found, tape.gradient(total, [inputs, *weights])

    found, (d_inputs, *d_weights) = EXECUTIONS[execution](losses)()
    half = len(d_weights) // 2
    d_kernel = tf.concat(d_weights[:half], axis=1 if tables is None else 0)
    return *found, d_inputs, d_kernel, tf.concat(d_weights[half:], axis=0)


@pytest.mark.parametrize(
    ("shards", "tied", "smoothing", "execution"),
    [
        (1, False, 0.0, "graph"),
        (4, False, 0.0, "graph"),
        (4, True, 0.1, "graph"),
        (6, False, 0.1, "eager"),
        (4, False, 0.1, "xla"),
    ],
)
@pytest.mark.parametrize("recompute", [False, True])
def test_losses_and_gradients_equal_the_reference(
    recompute: bool, shards: int, tied: bool, smoothing: float, execution: str
) -> None:
    layer, tables = make(shards, tied, recompute=recompute)
    expected = reference.losses_and_gradients(
        INPUTS, matrix(layer, tables), bias(layer), TARGETS, smoothing, SHARES
    )
    names = ["loss", "nats", "inputs", "kernel", "bias"]
    found = run(layer, tables, smoothing, execution)
    for name, one, other in zip(names, found, expected, strict=True):
        other = other.T if tied and name == "kernel" else other
        assert_close(one, other, "float32", name)


@pytest.mark.parametrize("execution", ["eager", "graph"])
@pytest.mark.parametrize("recompute", [False, True])
def test_losses_and_gradients_on_several_devices_are_the_same(
    recompute: bool, execution: str
) -> None:
    layer, _ = make(4, stages=(1, 2, 1), recompute=recompute)
    expected = run(layer, None, 0.1, "eager")
    with DeviceGrid(ONE).scope():
        found = run(layer, None, 0.1, execution)
    for one, other in zip(found, expected, strict=True):
        assert_close(one, other, "float32")


@pytest.mark.parametrize("recompute", [False, True])
def test_half_precision_has_logits_in_float32(recompute: bool) -> None:
    exact, _ = make(4)
    layer, _ = make(4, dtype="mixed_bfloat16", recompute=recompute)
    assert {logits.dtype for logits in layer(INPUTS)} == {tf.float32}
    assert {weight.dtype for weight in layer.weights} == {"float32"}
    found, expected = (run(each, None, 0.1, "eager") for each in (layer, exact))
    for one, other in zip(found, expected, strict=True):
        assert one.dtype == tf.float32
        assert_close(one, other, "bfloat16")


@pytest.mark.parametrize("shards", [1, 3, 4, 10])
def test_best_words_are_those_of_the_dense_softmax(shards: int) -> None:
    layer, _ = make(shards)
    log_probs = reference.log_probs(INPUTS, matrix(layer, None), bias(layer))
    found, words = layer.top_k(tf.constant(INPUTS), 5)
    expected = reference.best_words(log_probs, 5)
    np.testing.assert_array_equal(words, expected)
    assert_close(found, np.take_along_axis(log_probs, expected, -1), "float32")


@pytest.mark.parametrize("shards", [1, 3, 4, 10])
def test_of_equally_likely_words_the_first_come_first(shards: int) -> None:
    layer, _ = make(shards)
    numbers = np.array([2, 1, 2, 0, 1, 2, 1, 1, 2, 2], np.float32)
    for weights, shard in zip(layer.kernels, layer.vocabulary, strict=True):
        weights.assign(tf.zeros_like(weights) + numbers[slice(*shard)])
    for weights in layer.biases:
        weights.assign(tf.zeros_like(weights))
    _, words = layer.top_k(tf.ones([1, 4]), 8)
    np.testing.assert_array_equal(words, [[0, 2, 5, 8, 9, 1, 4, 6]])


def test_log_probs_are_those_of_the_targets() -> None:
    layer, _ = make(4)
    log_probs = reference.log_probs(INPUTS, matrix(layer, None), bias(layer))
    found = layer.log_probs(tf.constant(INPUTS), tf.constant(TARGETS))
    assert_close(found, log_probs[np.arange(6), TARGETS], "float32")


def test_slices_start_as_one_matrix_of_the_same_seed() -> None:
    one, four = make(1)[0], make(4)[0]
    np.testing.assert_array_equal(matrix(one, None), matrix(four, None))
    np.testing.assert_array_equal(bias(one), bias(four))


@pytest.mark.parametrize("execution", ["eager", "graph"])
@pytest.mark.parametrize("target", [-1, 10])
def test_targets_outside_the_vocabulary_are_refused(
    target: int, execution: str
) -> None:
    layer, _ = make(4)
    losses = EXECUTIONS[execution](layer.token_losses)
    with pytest.raises(tf.errors.InvalidArgumentError, match="vocabulary of 10 words"):
        losses(tf.ones([1, 4]), tf.constant([target]))


@pytest.mark.parametrize("recompute", [False, True])
def test_no_tokens_have_no_losses(recompute: bool) -> None:
    layer, _ = make(4, recompute=recompute)
    loss, nats = layer.token_losses(tf.ones([0, 4]), tf.zeros([0], tf.int32), 0.1)
    assert loss.shape == nats.shape == [0]


# The last slice of a device need not be computed again.
@pytest.mark.parametrize(
    ("recompute", "products"), [(False, [6, 3, 3]), (True, [7, 3, 3])]
)
def test_products_are_on_the_stages_of_the_slices(
    recompute: bool, products: list[int]
) -> None:
    with DeviceGrid(ONE).scope():
        layer, _ = make(4, stages=(1, 2, 3), recompute=recompute)
        weights = [each.value for each in layer.kernels]

        @tf.function
        def gradients(inputs: tf.Tensor) -> Any:
            with tf.GradientTape() as tape:
                tape.watch(inputs)
                loss, _ = layer.token_losses(inputs, tf.constant(TARGETS), 0.1)
            return tape.gradient(loss, [inputs, *weights])

        found = products_by_device(gradients, tf.constant(INPUTS))
    assert [weight.device[-1] for weight in weights] == ["1", "2", "3", "1"]
    assert found == dict(enumerate(products, start=1))


def test_search_looks_for_words_where_the_slices_are() -> None:
    with DeviceGrid(ONE).scope():
        layer, _ = make(3, stages=(1, 2, 3))
        found = products_by_device(
            tf.function(lambda inputs: layer.top_k(inputs, 2)),
            tf.constant(INPUTS),
            operation="TopKV2",
        )
    # The first device has the few that are left.
    assert found == {0: 1, 1: 1, 2: 1, 3: 1}
