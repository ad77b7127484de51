"""Maxout on numbers that can be worked out by hand."""

import numpy as np

from tests.reference import maxout


def test_neighbours_compete() -> None:
    t = np.array([[1.0, 2.0, -3.0, -4.0, 0.0, 5.0], [6.0, 0.0, 0.0, 0.0, -1.0, -2.0]])
    np.testing.assert_array_equal(maxout.maxout(t), [[2, -3, 5], [6, 0, -1]])
    np.testing.assert_array_equal(maxout.maxout(t[None])[0], maxout.maxout(t))


def test_deep_output_and_logits_by_hand() -> None:
    weights = maxout.Weights(
        U_o=np.array([[1.0, 0.0, 0.0, 2.0]]),
        V_o=np.array([[0.0, 3.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]),
        C_o=np.array([[0.0, 0.0, 0.0, -1.0]]),
        b=np.array([0.0, 0.0, 0.0, 0.5]),
    )
    s, embedding, context = np.array([[5.0]]), np.array([[2.0, 7.0]]), np.array([[4.0]])
    # t~ = [5, 6, 7, 10 - 4 + 0.5]
    t = maxout.deep_output(s, embedding, context, weights)
    np.testing.assert_array_equal(t, [[6, 7]])
    logits = maxout.logits(
        t, np.array([[1.0, 0, -1], [0, 2, 1]]), np.array([0, 0, 3.0])
    )
    np.testing.assert_array_equal(logits, [[6, 14, 4]])
