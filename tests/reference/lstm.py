"""An LSTM layer in float64, forward and backward, one step and one product at a time.

Written from Graves (2013), arXiv:1308.0850, eqs. 7-11 without peepholes. The gates are
packed in the order input, forget, candidate, output. Arrays are `[batch, time, ...]`.
"""

from typing import NamedTuple

import numpy as np


class Weights(NamedTuple):
    W: np.ndarray  # [input, 4 * hidden]
    U: np.ndarray  # [hidden, 4 * hidden]
    b: np.ndarray  # [4 * hidden]


class Gradients(NamedTuple):
    inputs: np.ndarray
    weights: Weights
    hidden: np.ndarray
    cell: np.ndarray


def sigmoid(z: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-z))


def activate(
    x: np.ndarray, h: np.ndarray, weights: Weights
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Returns i, f, g, o."""
    W, U, b = weights
    i, f, g, o = np.split(x @ W + h @ U + b, 4, axis=-1)
    return sigmoid(i), sigmoid(f), np.tanh(g), sigmoid(o)


def cell(
    x: np.ndarray, h: np.ndarray, c: np.ndarray, weights: Weights
) -> tuple[np.ndarray, np.ndarray]:
    """One step: returns h_t and c_t."""
    i, f, g, o = activate(x, h, weights)
    c = f * c + i * g
    return o * np.tanh(c), c


def cell_backward(
    x: np.ndarray,
    h: np.ndarray,
    c: np.ndarray,
    weights: Weights,
    dh: np.ndarray,
    dc: np.ndarray,
) -> Gradients:
    """One step backward: from the gradients of h_t and c_t."""
    W, U, _ = weights
    i, f, g, o = activate(x, h, weights)
    tanh_c = np.tanh(f * c + i * g)
    do = dh * tanh_c
    dc = dc + dh * o * (1 - tanh_c**2)
    di, df, dg = dc * g, dc * c, dc * i
    dz = np.concatenate(
        [di * i * (1 - i), df * f * (1 - f), dg * (1 - g**2), do * o * (1 - o)], -1
    )
    return Gradients(dz @ W.T, Weights(x.T @ dz, h.T @ dz, dz.sum(0)), dz @ U.T, dc * f)


def sequence(
    x: np.ndarray, h: np.ndarray, c: np.ndarray, weights: Weights, mask: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Returns (h_0 ... h_T) and (c_0 ... c_T); a masked step repeats the one before."""
    hs, cs = [h], [c]
    for t in range(x.shape[1]):
        valid = mask[:, t, None]
        h, c = cell(x[:, t], hs[-1], cs[-1], weights)
        hs.append(np.where(valid, h, hs[-1]))
        cs.append(np.where(valid, c, cs[-1]))
    return np.stack(hs, 1), np.stack(cs, 1)


def sequence_backward(
    x: np.ndarray,
    hs: np.ndarray,
    cs: np.ndarray,
    weights: Weights,
    mask: np.ndarray,
    dhs: np.ndarray,
    dc: np.ndarray,
) -> Gradients:
    """Backpropagation through time, from the gradients of h_1 ... h_T and of c_T."""
    dx, dh = np.zeros_like(x), np.zeros_like(hs[:, 0])
    dweights = Weights(*map(np.zeros_like, weights))
    for t in reversed(range(x.shape[1])):
        valid = mask[:, t, None]
        dh = dh + dhs[:, t]
        step = cell_backward(
            x[:, t], hs[:, t], cs[:, t], weights, valid * dh, valid * dc
        )
        dx[:, t] = step.inputs
        dweights = Weights(*map(np.add, dweights, step.weights))
        dh, dc = step.hidden + ~valid * dh, step.cell + ~valid * dc
    return Gradients(dx, dweights, dh, dc)
