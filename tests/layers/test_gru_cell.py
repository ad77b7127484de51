import numpy as np
import pytest
import tensorflow as tf

from nmt.layers.gru_cell import GRUState, GRUWeights, gru_step
from tests.layers.cases import EXECUTIONS, random_weights, turned
from tests.reference import gru
from tests.tolerance import assert_close


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("execution", ["eager", "graph"])
def test_step_equals_the_equations(execution: str, dtype: str) -> None:
    random = np.random.default_rng(0)
    weights = random_weights(random, 2, 3, gates=3)
    x, h = random.normal(size=(5, 2)), random.normal(size=(5, 3))
    step = EXECUTIONS[execution](gru_step)
    state = step(
        tf.constant(x, dtype),
        GRUState(tf.constant(h, dtype)),
        GRUWeights(*(tf.constant(weight, dtype) for weight in weights)),
    )
    assert_close(state.hidden, gru.cell(x, h, turned(weights)), dtype)


def test_gates_are_packed_update_reset_candidate() -> None:
    update, reset, candidate = 0.1, 0.2, 0.3

    def logit(share: float) -> float:
        return np.log(share / (1 - share))

    # The candidate has half the reset state in it, by way of U.
    bias = [logit(update), logit(reset), np.arctanh(candidate) - 0.5 * reset * 0.7]
    weights = GRUWeights(
        tf.zeros([1, 3], tf.float64),
        tf.constant([[0, 0, 0.5]], tf.float64),
        tf.constant(bias, tf.float64),
    )
    start = GRUState(tf.constant([[0.7]], tf.float64))
    state = gru_step(tf.zeros([1, 1], tf.float64), start, weights)
    # The update gate keeps the state: Keras' way round.
    expected = update * 0.7 + (1 - update) * candidate
    assert_close(state.hidden, [[expected]], "float64")
