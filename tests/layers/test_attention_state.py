import numpy as np
import pytest
import tensorflow as tf

from nmt.layers.attention_state import AttentionOutputs, AttentionState

START = AttentionState(
    cell=tf.zeros([2, 1]),
    attention=tf.constant([[-1.0], [-2.0]]),
    alignments=tf.constant([[-3.0], [-4.0]]),
)
# a_i is 10 i + the row, alpha_i is 100 times that.
ATTENTION = tf.constant([[[10.0], [20.0], [30.0]], [[11.0], [21.0], [31.0]]])


@pytest.mark.parametrize(
    ("mask", "expected"),
    [
        (None, [30, 31]),
        ([[1, 1, 1], [1, 1, 1]], [30, 31]),
        ([[1, 1, 0], [1, 0, 0]], [20, 11]),
        ([[0, 1, 0], [1, 0, 1]], [20, 31]),
        ([[0, 0, 0], [0, 1, 1]], [-1, 31]),
    ],
)
def test_last_state_is_that_of_the_last_valid_step(
    mask: list[list[int]] | None, expected: list[int]
) -> None:
    outputs, contexts, cell = tf.zeros([2, 3, 5]), tf.ones([2, 3, 4]), tf.ones([2, 7])
    result = AttentionOutputs.of_steps(
        outputs, contexts, 100 * ATTENTION, cell, ATTENTION, START, mask
    )
    assert result.outputs is outputs
    assert result.contexts is contexts
    assert result.state.cell is cell
    np.testing.assert_array_equal(result.state.attention[:, 0], expected)
    alignments = [100 * value if value > 0 else -3 for value in expected]
    np.testing.assert_array_equal(result.state.alignments[:, 0], alignments)
