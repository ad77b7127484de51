"""Functions that are run once more for their gradient, one after the other."""

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from nmt.layers import recomputed
from tests.layers.cases import EXECUTIONS, assert_equal_nests


def first(x: tf.Tensor, y: tf.Tensor, unused: tf.Tensor) -> list[tf.Tensor]:
    z = tf.exp(x) * y
    return [tf.reduce_sum(z, axis=0), tf.sin(z)]


def second(x: tf.Tensor) -> list[tf.Tensor]:
    return [tf.tanh(x) ** 2]


@pytest.mark.parametrize("execution", EXECUTIONS)
def test_values_and_gradients_are_those_of_the_functions(execution: str) -> None:
    inputs = [tf.random.normal([3, 2]) for _ in range(3)]
    both = [inputs, inputs[:1]]

    def run(function: Any) -> Any:
        def gradients() -> Any:
            with tf.GradientTape() as tape:
                tape.watch(inputs)
                outputs = function(both)
                squares = [tf.reduce_sum(each**2) for each in tf.nest.flatten(outputs)]
                total = tf.add_n(squares)
            zero = tf.UnconnectedGradients.ZERO
            return outputs, tape.gradient(total, inputs, unconnected_gradients=zero)

        return EXECUTIONS[execution](gradients)()

    expected = run(lambda both: [tuple(first(*both[0])), tuple(second(*both[1]))])
    assert_equal_nests(run(recomputed([first, second])), expected, "float32")


def depends(operation: tf.Operation, on: tf.Operation) -> bool:
    """Whether an operation can only run after another one."""
    seen, left = set(), [operation]
    while left:
        each = left.pop()
        if each is on:
            return True
        if each.name not in seen:
            seen.add(each.name)
            left += [tensor.op for tensor in each.inputs] + each.control_inputs
    return False


def test_functions_and_gradients_take_turns_and_only_the_last_is_kept() -> None:
    functions = [
        lambda x, function=function: [function(function(x))]
        for function in (tf.sin, tf.tan, tf.exp)
    ]

    @tf.function
    def gradient(x: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            tape.watch(x)
            total = tf.add_n([y for (y,) in recomputed(functions)([[x]] * 3)])
        return tape.gradient(total, x)

    x = tf.constant([0.1, 0.2])
    with tf.GradientTape() as tape:
        tape.watch(x)
        total = tf.add_n([function(x)[0] for function in functions])
    np.testing.assert_allclose(gradient(x), tape.gradient(total, x), rtol=1e-6)
    operations = gradient.get_concrete_function(x).graph.get_operations()
    sines, tangents, powers = (
        [each for each in operations if each.type == kind]
        for kind in ("Sin", "Tan", "Exp")
    )
    # Twice each, and again for the gradient.
    assert (len(sines), len(tangents), len(powers)) == (4, 4, 2)
    assert depends(tangents[0], sines[1])
    assert depends(powers[0], tangents[1])
    assert depends(tangents[2], powers[1])
    assert depends(sines[2], tangents[2])
    assert not depends(powers[1], sines[2])
