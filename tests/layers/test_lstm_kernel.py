from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from nmt.layers.lstm_cell import LSTMState, LSTMWeights, lstm_step
from nmt.layers.lstm_kernel import lstm_sequence
from tests.layers.cases import EXECUTIONS, MASKS, mask_of, random_weights
from tests.reference import lstm
from tests.tolerance import assert_close

NAMES = ("inputs", "kernel", "recurrent_kernel", "bias", "hidden", "cell")


class Problem:
    """A layer, a batch of three sequences of four steps, and gradients from above."""

    def __init__(self, mask: str, width: int = 2, units: int = 3):
        random = np.random.default_rng(0)
        self.mask = mask_of(mask)
        self.weights = random_weights(random, width, units)
        self.x = random.normal(size=(3, 4, width))
        self.h, self.c, self.dh, self.dc = random.normal(size=(4, 3, units))
        self.dhs = random.normal(size=(3, 4, units))

    def reference(self) -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
        hs, cs = lstm.sequence(self.x, self.h, self.c, self.weights, self.mask)
        dhs = self.dhs.copy()
        dhs[:, -1] += self.dh
        gradients = lstm.sequence_backward(
            self.x, hs, cs, self.weights, self.mask, dhs, self.dc
        )
        dx, dweights, dh, dc = gradients
        return hs[:, 1:], cs[:, -1], [dx, *dweights, dh, dc]

    def run(self, dtype: str = "float64") -> Any:
        """Returns the hidden states, the last state and all gradients."""
        arrays = (self.x, *self.weights, self.h, self.c)
        tensors = [tf.constant(array, dtype) for array in arrays]
        with tf.GradientTape() as tape:
            tape.watch(tensors)
            x, *weights, h, c = tensors
            hidden, state = lstm_sequence(
                x, LSTMState(h, c), LSTMWeights(*weights), tf.constant(self.mask)
            )
        above = [tf.constant(array, dtype) for array in (self.dhs, self.dh, self.dc)]
        gradients = tape.gradient([hidden, *state], tensors, output_gradients=above)
        return hidden, state, gradients


def assert_equals_the_reference(problem: Problem, result: Any, dtype: str) -> None:
    hidden, state, gradients = result
    expected_hidden, expected_cell, expected_gradients = problem.reference()
    assert_close(hidden, expected_hidden, dtype, "hidden states")
    assert_close(state.hidden, expected_hidden[:, -1], dtype, "last hidden")
    assert_close(state.cell, expected_cell, dtype, "last cell")
    pairs = zip(NAMES, gradients, expected_gradients, strict=True)
    for name, gradient, expected in pairs:
        assert_close(gradient, expected, dtype, f"gradient of {name}")


@pytest.mark.parametrize("execution", ["eager", "graph"])
@pytest.mark.parametrize("mask", MASKS)
def test_states_and_gradients_equal_the_reference(mask: str, execution: str) -> None:
    problem = Problem(mask)
    result = EXECUTIONS[execution](problem.run)()
    assert_equals_the_reference(problem, result, "float64")


def test_xla_equals_the_reference() -> None:
    problem = Problem("holes")
    assert_equals_the_reference(problem, EXECUTIONS["xla"](problem.run)(), "float64")


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_every_float_type_equals_the_reference(dtype: str) -> None:
    problem = Problem("right_padded")
    assert_equals_the_reference(problem, problem.run(dtype), dtype)


@pytest.mark.parametrize("units", [128, 512])
def test_padded_columns_change_nothing(units: int) -> None:
    # U has 4 * 128 columns; the transposed U, which is padded too, has 512.
    problem = Problem("right_padded", units=units)
    assert_equals_the_reference(problem, problem.run(), "float64")


def test_a_sequence_is_the_same_as_its_steps_first_to_last() -> None:
    problem = Problem("full")
    hidden, state, _ = problem.run()
    stepped = LSTMState(tf.constant(problem.h), tf.constant(problem.c))
    weights = LSTMWeights(*map(tf.constant, problem.weights))
    for t in range(4):
        stepped = lstm_step(tf.constant(problem.x[:, t]), stepped, weights)
        assert_close(hidden[:, t], stepped.hidden, "float64", f"step {t}")
    assert_close(state.cell, stepped.cell, "float64", "last cell")


def test_no_mask_means_that_all_steps_are_valid() -> None:
    problem = Problem("full")
    hidden, *_ = problem.run()
    arguments = (
        tf.constant(problem.x),
        LSTMState(tf.constant(problem.h), tf.constant(problem.c)),
        LSTMWeights(*map(tf.constant, problem.weights)),
    )
    assert_close(lstm_sequence(*arguments)[0], hidden, "float64")


def test_masked_inputs_have_no_effect_and_no_gradient() -> None:
    problem = Problem("holes")
    clean = problem.run()
    problem.x[~problem.mask] = 1e3
    hidden, state, gradients = problem.run()
    assert_close(hidden, clean[0], "float64", "hidden states")
    assert_close(state, clean[1], "float64", "last state")
    np.testing.assert_array_equal(gradients[0].numpy()[~problem.mask], 0)


def test_an_empty_batch_has_empty_states_and_zero_gradients() -> None:
    problem = Problem("full")
    for name in ("mask", "x", "h", "c", "dh", "dc", "dhs"):
        setattr(problem, name, getattr(problem, name)[:0])
    hidden, state, gradients = EXECUTIONS["graph"](problem.run)()
    assert hidden.shape == [0, 4, 3]
    assert state.cell.shape == [0, 3]
    for gradient, weight in zip(gradients[1:4], problem.weights, strict=True):
        np.testing.assert_array_equal(gradient, np.zeros_like(weight))
