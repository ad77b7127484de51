from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from nmt.layers.gru_cell import GRUState, GRUWeights, gru_step
from nmt.layers.gru_kernel import gru_sequence
from tests.layers.cases import (
    EXECUTIONS,
    MASKS,
    assert_equal_nests,
    mask_of,
    random_weights,
    turned,
    weighted_total,
)
from tests.reference import gru
from tests.tolerance import assert_close


class Problem:
    """A layer, and a batch of three sequences of four steps."""

    def __init__(self, mask: str, width: int = 2, units: int = 3):
        random = np.random.default_rng(0)
        self.mask = mask_of(mask)
        self.weights = random_weights(random, width, units, gates=3)
        self.x = random.normal(size=(3, 4, width))
        self.h = random.normal(size=(3, units))

    def reference(self) -> np.ndarray:
        return gru.sequence(self.x, self.h, turned(self.weights), self.mask)[:, 1:]

    def run(self, dtype: str = "float64", sequence: Any = gru_sequence) -> Any:
        """Returns the hidden states, the last state and all gradients."""
        arrays = (self.x, *self.weights, self.h)
        tensors = [tf.constant(array, dtype) for array in arrays]
        with tf.GradientTape() as tape:
            tape.watch(tensors)
            x, *weights, h = tensors
            hidden, state = sequence(
                x, GRUState(h), GRUWeights(*weights), tf.constant(self.mask)
            )
            total = weighted_total([hidden, state.hidden])
        return hidden, state, tape.gradient(total, tensors)


def step_by_step(
    inputs: tf.Tensor, state: GRUState, weights: GRUWeights, mask: tf.Tensor
) -> tuple[tf.Tensor, GRUState]:
    """The sequence by `gru_step`, differentiated by TensorFlow."""
    outputs = []
    for t in range(inputs.shape[1]):
        after = gru_step(inputs[:, t], state, weights)
        hidden = tf.where(mask[:, t, tf.newaxis], after.hidden, state.hidden)
        state = GRUState(hidden)
        outputs.append(hidden)
    return tf.stack(outputs, 1), state


@pytest.mark.parametrize("mask", MASKS)
def test_states_and_gradients_equal_the_reference(mask: str) -> None:
    problem = Problem(mask)
    hidden, state, gradients = problem.run()
    assert_close(hidden, problem.reference(), "float64", "hidden states")
    assert_close(state.hidden, problem.reference()[:, -1], "float64", "last hidden")
    *_, expected = problem.run(sequence=step_by_step)
    assert_equal_nests(gradients, expected, what="gradient")


def test_xla_equals_eager() -> None:
    problem = Problem("holes")
    assert_equal_nests(EXECUTIONS["xla"](problem.run)(), problem.run())


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_every_float_type_is_near_float64(dtype: str) -> None:
    problem = Problem("right_padded")
    assert_equal_nests(problem.run(dtype), problem.run(), dtype)


@pytest.mark.parametrize("units", [256, 512])
def test_padded_columns_change_nothing(units: int) -> None:
    # 2 * 256 columns of U read the state; of 512 units, the inner ones are padded too.
    problem = Problem("right_padded", units=units)
    assert_equal_nests(problem.run(), problem.run(sequence=step_by_step))


def test_no_mask_means_that_all_steps_are_valid() -> None:
    problem = Problem("full")
    hidden, *_ = problem.run()
    weights = GRUWeights(*map(tf.constant, problem.weights))
    start = GRUState(tf.constant(problem.h))
    assert_close(
        gru_sequence(tf.constant(problem.x), start, weights)[0], hidden, "float64"
    )


def test_masked_inputs_have_no_effect_and_no_gradient() -> None:
    problem = Problem("holes")
    clean = problem.run()
    problem.x[~problem.mask] = 1e3
    hidden, state, gradients = problem.run()
    assert_equal_nests((hidden, state), clean[:2])
    np.testing.assert_array_equal(gradients[0].numpy()[~problem.mask], 0)


def test_an_empty_batch_has_empty_states_and_zero_gradients() -> None:
    problem = Problem("full")
    for name in ("mask", "x", "h"):
        setattr(problem, name, getattr(problem, name)[:0])
    hidden, state, gradients = EXECUTIONS["graph"](problem.run)()
    assert hidden.shape == [0, 4, 3]
    assert state.hidden.shape == [0, 3]
    for gradient, weight in zip(gradients[1:4], problem.weights, strict=True):
        np.testing.assert_array_equal(gradient, np.zeros_like(weight))
