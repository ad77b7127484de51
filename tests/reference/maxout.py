"""The deep output with one maxout layer in float64.

Written from Bahdanau et al. (2015), appendix A.2.2. Every matrix is `[from, to]`.
"""

from typing import NamedTuple

import numpy as np


class Weights(NamedTuple):
    U_o: np.ndarray  # [state, 2 * maxout]
    V_o: np.ndarray  # [embedding, 2 * maxout]
    C_o: np.ndarray  # [context, 2 * maxout]
    b: np.ndarray  # [2 * maxout]


def maxout(t: np.ndarray) -> np.ndarray:
    """t_j = max(t~_(2j-1), t~_(2j)), counted from 1: neighbours, not halves."""
    return np.maximum(t[..., 0::2], t[..., 1::2])


def deep_output(
    s: np.ndarray, embedding: np.ndarray, context: np.ndarray, weights: Weights
) -> np.ndarray:
    """t_i from s_(i-1), E y_(i-1) and c_i, `[..., maxout]`."""
    U_o, V_o, C_o, b = weights
    return maxout(s @ U_o + embedding @ V_o + context @ C_o + b)


def logits(t: np.ndarray, W_o: np.ndarray, b_o: np.ndarray) -> np.ndarray:
    """W_o t_i + b_o, `[..., vocabulary]`."""
    return t @ W_o + b_o
