"""A GRU layer in float64, one step at a time.

Written from Bahdanau et al. (2015), appendix A.1.1: the reset gate acts before the
matrix product. The gates are packed in the order update, reset, candidate. Arrays are
`[batch, time, ...]`.
"""

from typing import NamedTuple

import numpy as np

from tests.reference.lstm import sigmoid


class Weights(NamedTuple):
    W: np.ndarray  # [input, 3 * hidden]
    U: np.ndarray  # [hidden, 3 * hidden]
    b: np.ndarray  # [3 * hidden]


def cell(
    x: np.ndarray,
    h: np.ndarray,
    weights: Weights,
    visible: np.ndarray | None = None,
) -> np.ndarray:
    """One step: returns h_t. `visible` is what the matrices read of h."""
    visible = h if visible is None else visible
    W_z, W_r, W = np.split(weights.W, 3, axis=-1)
    U_z, U_r, U = np.split(weights.U, 3, axis=-1)
    b_z, b_r, b = np.split(weights.b, 3)
    z = sigmoid(x @ W_z + visible @ U_z + b_z)
    r = sigmoid(x @ W_r + visible @ U_r + b_r)
    candidate = np.tanh(x @ W + (r * visible) @ U + b)
    return (1 - z) * h + z * candidate


def sequence(
    x: np.ndarray, h: np.ndarray, weights: Weights, mask: np.ndarray
) -> np.ndarray:
    """Returns h_0 ... h_T; a masked step repeats the one before."""
    hs = [h]
    for t in range(x.shape[1]):
        valid = mask[:, t, None]
        hs.append(np.where(valid, cell(x[:, t], hs[-1], weights), hs[-1]))
    return np.stack(hs, 1)


def sequence_reversed(
    x: np.ndarray, h: np.ndarray, weights: Weights, mask: np.ndarray
) -> np.ndarray:
    """Returns h_1 ... h_(T+1): h_t has read x_T ... x_t, and h_(T+1) is the start.

    Padding, which is read first, keeps the start.
    """
    return sequence(x[:, ::-1], h, weights, mask[:, ::-1])[:, ::-1]
