"""The time order, on cells whose steps can be followed, and against RNNsearch's."""

import numpy as np
import pytest

from tests.reference import attention, gru
from tests.reference.attention_wrapper import unroll
from tests.tolerance import assert_close

# One sentence, two words, numbers of one digit.
INPUTS = np.array([[[1.0], [2.0], [3.0]]])
ANNOTATIONS = np.array([[[10.0], [20.0]]])


def attend(query: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A stand-in, linear in the query."""
    alignments = np.concatenate([query, 0 * query], -1)
    return np.einsum("bj,bja->ba", alignments, ANNOTATIONS), alignments


def add(x: np.ndarray, state: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The state grows by the input's sum; the output is its negative."""
    state = state + x.sum(-1, keepdims=True)
    return -state, state


def same(state: np.ndarray) -> np.ndarray:
    return state


START = np.array([[1.0]])


def test_previous_state_looks_before_the_cell_reads() -> None:
    result = unroll(add, attend, same, INPUTS, START, "previous")
    # s_1 = 1 + (1 + 10), s_2 = 12 + (2 + 120), s_3 = 134 + (3 + 1340)
    assert_close(result.outputs.ravel(), [-12, -134, -1477], "float64")
    assert_close(result.contexts.ravel(), [10, 120, 1340], "float64")
    assert_close(result.alignments[0, :, 0], [1, 12, 134], "float64")
    assert_close(result.state, [[1477]], "float64")


def test_new_state_looks_after_the_cell_read_the_last_context() -> None:
    result = unroll(add, attend, same, INPUTS, START, "new")
    # s_1 = 1 + (1 + 0), s_2 = 2 + (2 + 20), s_3 = 24 + (3 + 240)
    assert_close(result.outputs.ravel(), [-2, -24, -267], "float64")
    assert_close(result.contexts.ravel(), [20, 240, 2670], "float64")
    assert_close(result.alignments[0, :, 0], [2, 24, 267], "float64")


def test_attentional_vector_is_the_output_and_is_fed() -> None:
    W_c = np.array([[0.01], [0.03]])
    result = unroll(add, attend, same, INPUTS[:, :2], START, "new", W_c)
    first = np.tanh(0.01 * 20 + 0.03 * -2)
    second = 2 + 2 + first
    assert_close(result.contexts.ravel(), [20, 10 * second], "float64")
    last = np.tanh(0.1 * second - 0.03 * second)
    assert_close(result.outputs.ravel(), [first, last], "float64")
    assert_close(result.attentional, [[last]], "float64")


def test_without_feeding_the_cell_reads_the_inputs_alone() -> None:
    for query, contexts in (("previous", [10, 20, 40]), ("new", [20, 40, 70])):
        result = unroll(add, attend, same, INPUTS, START, query, feed=False)
        assert_close(result.outputs.ravel(), [-2, -4, -7], "float64")
        assert_close(result.contexts.ravel(), contexts, "float64")


@pytest.mark.parametrize("query", ["previous", "new"])
def test_two_halves_are_the_whole(query: str) -> None:
    random = np.random.default_rng(8)
    weights = gru.Weights(
        random.normal(size=(2 + 5, 9)), random.normal(size=(3, 9)), np.zeros(9)
    )
    annotations = random.normal(size=(2, 4, 3))
    mask = np.array([[1, 1, 1, 1], [1, 1, 0, 0]], bool)
    W_c = random.normal(size=(6, 5))
    inputs, start = random.normal(size=(2, 4, 2)), random.normal(size=(2, 3))

    def cell(x: np.ndarray, h: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        rows = weights.W[: x.shape[-1]]
        h = gru.cell(x, h, weights._replace(W=rows))
        return h, h

    def look(h: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return attention.luong(h, annotations, mask, "dot")

    whole = unroll(cell, look, same, inputs, start, query, W_c)
    first = unroll(cell, look, same, inputs[:, :1], start, query, W_c)
    rest = unroll(
        cell, look, same, inputs[:, 1:], first.state, query, W_c, first.attentional
    )
    for part in range(3):
        halves = np.concatenate([first[part], rest[part]], 1)
        assert_close(halves, whole[part], "float64")
    assert_close(rest.state, whole.state, "float64")
