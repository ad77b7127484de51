import numpy as np
import pytest
import tensorflow as tf

from nmt.layers.lstm_cell import LSTMState, LSTMWeights, lstm_step
from nmt.layers.matrix_product import pad_columns
from tests.layers.cases import EXECUTIONS, random_weights
from tests.reference import lstm
from tests.tolerance import assert_close


@pytest.mark.parametrize("execution", ["eager", "graph"])
@pytest.mark.parametrize("units", [3, 128])
def test_step_equals_the_equations(execution: str, units: int) -> None:
    random = np.random.default_rng(0)
    weights = random_weights(random, 2, units)
    x, h, c = (random.normal(size=(5, width)) for width in (2, units, units))
    step = EXECUTIONS[execution](lstm_step)
    state = step(
        tf.constant(x),
        LSTMState(tf.constant(h), tf.constant(c)),
        LSTMWeights(*map(tf.constant, weights)),
    )
    hidden, cell = lstm.cell(x, h, c, weights)
    assert_close(state.hidden, hidden, "float64", "hidden")
    assert_close(state.cell, cell, "float64", "cell")


def test_gates_are_packed_input_forget_candidate_output() -> None:
    input_gate, forget_gate, candidate, output_gate = 0.1, 0.2, 0.3, 0.4

    def logit(share: float) -> float:
        return np.log(share / (1 - share))

    bias = [logit(input_gate), logit(forget_gate), np.arctanh(candidate)]
    bias = tf.constant([*bias, logit(output_gate)], tf.float64)
    nothing = tf.zeros([1, 4], tf.float64)
    state = LSTMState(tf.zeros([1, 1], tf.float64), tf.constant([[0.5]], tf.float64))
    hidden, cell = lstm_step(
        tf.zeros([1, 1], tf.float64), state, LSTMWeights(nothing, nothing, bias)
    )
    expected = forget_gate * 0.5 + input_gate * candidate
    assert_close(cell, [[expected]], "float64")
    assert_close(hidden, [[output_gate * np.tanh(expected)]], "float64")


def test_padded_columns_change_nothing() -> None:
    random = np.random.default_rng(0)
    weights = LSTMWeights(*map(tf.constant, random_weights(random, 2, 128)))
    x, h, c = (tf.constant(random.normal(size=(5, width))) for width in (2, 128, 128))
    padded = LSTMWeights(*map(pad_columns, weights))
    assert padded.recurrent_kernel.shape == [128, 4 * 128 + 32]
    plain = lstm_step(x, LSTMState(h, c), weights)
    for ours, theirs in zip(lstm_step(x, LSTMState(h, c), padded), plain, strict=True):
        assert_close(ours, theirs, "float64")
