"""Functions that are run once more for their gradient."""

import numpy as np
import pytest
import tensorflow as tf

from nmt.layers.recomputed import Turns, recomputed
from tests.layers.cases import EXECUTIONS, assert_equal_nests


def function(x: tf.Tensor, y: tf.Tensor, unused: tf.Tensor) -> list[tf.Tensor]:
    z = tf.exp(x) * y
    return [tf.reduce_sum(z, axis=0), tf.sin(z)]


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("execution", EXECUTIONS)
def test_values_and_gradients_are_those_of_the_function(
    execution: str, keep: bool
) -> None:
    inputs = [tf.random.normal([3, 2]) for _ in range(3)]

    def run(function: object) -> object:
        def gradients() -> object:
            with tf.GradientTape() as tape:
                tape.watch(inputs)
                outputs = function(*inputs)
                total = sum(tf.reduce_sum(each**2) for each in outputs)
            return (
                tuple(outputs),
                tape.gradient(total, inputs, unconnected_gradients="zero"),
            )

        return EXECUTIONS[execution](gradients)()

    assert_equal_nests(run(recomputed(function, keep=keep)), run(function), "float32")


@pytest.mark.parametrize(("keep", "count"), [(False, 4), (True, 3)])
def test_a_graph_has_the_work_twice_unless_it_is_kept(keep: bool, count: int) -> None:
    @tf.function
    def gradient(x: tf.Tensor, kernel: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            tape.watch(x)
            function = recomputed(lambda x, kernel: [tf.sin(x @ kernel)], keep=keep)
            (y,) = function(x, kernel)
        return tape.gradient(y, x)

    graph = gradient.get_concrete_function(tf.ones([2, 2]), tf.ones([2, 2])).graph
    products = [each for each in graph.get_operations() if each.type == "MatMul"]
    # One forward, perhaps again, and those of both arguments' gradients.
    assert len(products) == count


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


def test_functions_take_turns_forward_and_backward() -> None:
    @tf.function
    def gradient(x: tf.Tensor) -> tf.Tensor:
        turns = Turns()
        with tf.GradientTape() as tape:
            tape.watch(x)
            total = tf.zeros_like(x)
            for function in (tf.sin, tf.tan, tf.exp):
                total += recomputed(lambda x, f=function: [f(f(x))], turns)(x)[0]
        return tape.gradient(total, x)

    x = tf.constant([0.1, 0.2])
    with tf.GradientTape() as tape:
        tape.watch(x)
        total = tf.sin(tf.sin(x)) + tf.tan(tf.tan(x)) + tf.exp(tf.exp(x))
    np.testing.assert_allclose(gradient(x), tape.gradient(total, x), rtol=1e-6)
    operations = gradient.get_concrete_function(x).graph.get_operations()
    sines, tangents, powers = (
        [each for each in operations if each.type == kind]
        for kind in ("Sin", "Tan", "Exp")
    )
    # Forward in this order, and backward in the reverse of it.
    assert depends(tangents[0], sines[1])
    assert depends(powers[0], tangents[1])
    assert depends(sines[2], tangents[2])
    assert depends(tangents[2], powers[2])
    assert not depends(powers[2], sines[2])
