"""Stages: variables, functions and gradients on the devices that are asked for."""

from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

from nmt.distribution import (
    DeviceGrid,
    beside,
    mirrored_strategy,
    placed,
    variables_on,
)
from nmt.errors import UserError
from tests.distribution.counting import products_by_device

ONE = [["CPU:0", "CPU:1", "CPU:2", "CPU:3"]]
TWO = [["CPU:0", "CPU:1", "CPU:2", "CPU:3"], ["CPU:4", "CPU:5", "CPU:6", "CPU:7"]]


def dense_layers(count: int = 4) -> list[keras.layers.Dense]:
    """Returns built layers, each on the stage of its number."""
    layers = [keras.layers.Dense(8, use_bias=False) for _ in range(count)]
    for stage, layer in enumerate(layers):
        with variables_on(stage):
            layer.build((None, 8))
    return layers


def gradients(layers: list[keras.layers.Dense], inputs: tf.Tensor) -> list[tf.Tensor]:
    with tf.GradientTape() as tape:
        outputs = inputs
        for stage, layer in enumerate(layers):
            outputs = placed(stage, layer)(outputs)
        loss = tf.reduce_sum(outputs**2)
    return tape.gradient(loss, [layer.kernel.value for layer in layers])


def number(device: str) -> int:
    return tf.DeviceSpec.from_string(device).device_index


def test_forward_and_backward_products_are_on_their_stages() -> None:
    with DeviceGrid(ONE).scope():
        layers = dense_layers()
        function = tf.function(lambda inputs: gradients(layers, inputs))
        found = products_by_device(function, tf.ones([5, 8]))
    assert [number(layer.kernel.value.device) for layer in layers] == [0, 1, 2, 3]
    # The first layer's inputs need no gradient.
    assert found == {0: 2, 1: 3, 2: 3, 3: 3}


def test_replicas_have_stages_of_their_own() -> None:
    strategy = mirrored_strategy(["CPU:0", "CPU:4"])
    with DeviceGrid(TWO).scope():
        with strategy.scope():
            layers = dense_layers()

        @tf.function
        def function(inputs: tf.Tensor) -> Any:
            return strategy.run(lambda own: gradients(layers, own), args=(inputs,))

        found = products_by_device(function, tf.ones([5, 8]))
    for stage, layer in enumerate(layers):
        copies = [number(copy.device) for copy in layer.kernel.value.values]
        assert copies == [stage, stage + 4]
    assert found == {0: 2, 1: 3, 2: 3, 3: 3, 4: 2, 5: 3, 6: 3, 7: 3}


def test_gradients_are_those_of_plain_calls() -> None:
    layers, inputs = dense_layers(), tf.random.normal([5, 8])
    expected = gradients(layers, inputs)
    with DeviceGrid(ONE).scope():
        found = gradients(layers, inputs)
    for one, other in zip(expected, found, strict=True):
        np.testing.assert_array_equal(one, other)


def test_nests_pass_and_only_floats_have_gradients() -> None:
    table = keras.layers.Embedding(5, 3)
    table.build((None,))

    def look_up(ids: tf.Tensor, scale: dict[str, tf.Tensor], *, power: int) -> Any:
        rows = table(ids) * scale["scale"] ** power
        return {"rows": rows, "ids": ids, "none": None}

    ids, scale = tf.constant([1, 1, 4]), tf.constant(3.0)
    with DeviceGrid(ONE).scope(), tf.GradientTape() as tape:
        tape.watch(scale)
        found = placed(2, look_up)(ids, {"scale": scale}, power=2)
        total = tf.reduce_sum(found["rows"])
    assert found["none"] is None
    np.testing.assert_array_equal(found["ids"], ids)
    weights = table.embeddings.value
    d_table, d_scale = tape.gradient(total, [weights, scale])
    assert isinstance(d_table, tf.IndexedSlices)
    np.testing.assert_allclose(d_table.values, np.full([3, 3], 9.0))
    expected = 2 * 3.0 * np.sum(weights.numpy()[[1, 1, 4]])
    np.testing.assert_allclose(d_scale, expected, 1e-6)


def test_without_floats_or_with_unused_ones_it_still_runs() -> None:
    layer = keras.layers.Embedding(5, 3)
    layer.build((None,))
    unused = tf.constant(1.0)
    with DeviceGrid(ONE).scope(), tf.GradientTape() as tape:
        tape.watch(unused)
        first = placed(1, layer)(tf.constant([1]))
        second = placed(1, lambda _: layer(tf.constant([2])))(unused)
        total = tf.reduce_sum(first + second)
    gradient, nothing = tape.gradient(total, [layer.embeddings.value, unused])
    np.testing.assert_array_equal(np.sort(gradient.indices), [1, 2])
    assert nothing == 0.0


def test_beside_is_on_the_device_of_the_variable() -> None:
    with DeviceGrid(ONE).scope():
        (layer,) = dense_layers(1)
        with variables_on(3):
            other = keras.Variable(1.0)
        with beside(other):
            assert number((other.value + 1.0).device) == 3
        with beside(layer.kernel):
            assert number(tf.add(1.0, 1.0).device) == 0


@pytest.mark.parametrize("stage", [None, 2])
def test_without_a_grid_stages_mean_nothing(stage: int | None) -> None:
    with variables_on(stage):
        variable = keras.Variable(1.0)
    assert number(variable.value.device) == 0

    def function() -> float:
        return 1.0

    assert placed(stage, function)() == 1.0


def test_missing_devices_are_named() -> None:
    with pytest.raises(UserError, match=r"no device CPU:8, only CPU:0, .*, CPU:7;"):
        DeviceGrid([["CPU:0", "CPU:8"]])
    with pytest.raises(UserError, match="no device GPU:0"):
        DeviceGrid([["GPU:0"]])
    with (
        DeviceGrid(ONE).scope(),
        pytest.raises(UserError, match="stage 4: there are 4"),
        variables_on(4),
    ):
        pass


@pytest.mark.parametrize("function", [lambda function: function, tf.function])
def test_a_tensor_may_be_given_twice(function: Any) -> None:
    def gradient() -> tf.Tensor:
        x = tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = placed(1, lambda x, pair: x**2 * pair[0] * pair[1])(x, [x, 1.0])
        return tape.gradient(y, x)

    with DeviceGrid(ONE).scope():
        assert float(function(gradient)()) == 27.0
