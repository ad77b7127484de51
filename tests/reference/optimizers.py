"""One update in float64, as published. Parameters and gradients are lists of arrays."""

from typing import NamedTuple

import numpy as np

Arrays = list[np.ndarray]


class Moments(NamedTuple):
    """What Adam and Adadelta remember between updates; zeros at first."""

    first: Arrays
    second: Arrays

    @classmethod
    def zeros(cls, parameters: Arrays) -> "Moments":
        return cls([0 * p for p in parameters], [0 * p for p in parameters])


def rescale(gradients: Arrays, limit: float) -> Arrays:
    """Sutskever et al. (2014), section 3.4: if s = ||g|| > limit, g <- limit g / s."""
    norm = np.sqrt(sum((g**2).sum() for g in gradients))
    return [g * limit / norm if norm > limit else g for g in gradients]


def sgd(parameters: Arrays, gradients: Arrays, rate: float) -> Arrays:
    return [p - rate * g for p, g in zip(parameters, gradients, strict=True)]


def adam(
    parameters: Arrays,
    gradients: Arrays,
    moments: Moments,
    update: int,
    rate: float,
    beta_1: float = 0.9,
    beta_2: float = 0.999,
    epsilon: float = 1e-8,
) -> tuple[Arrays, Moments]:
    """Kingma and Ba (2015), arXiv:1412.6980, algorithm 1; the first `update` is 1.

    In the order of the end of their section 2, which is Keras': epsilon is their
    epsilon-hat.
    """
    first = [
        beta_1 * m + (1 - beta_1) * g
        for m, g in zip(moments.first, gradients, strict=True)
    ]
    second = [
        beta_2 * v + (1 - beta_2) * g**2
        for v, g in zip(moments.second, gradients, strict=True)
    ]
    rate *= np.sqrt(1 - beta_2**update) / (1 - beta_1**update)
    moved = [
        p - rate * m / (np.sqrt(v) + epsilon)
        for p, m, v in zip(parameters, first, second, strict=True)
    ]
    return moved, Moments(first, second)


def adadelta(
    parameters: Arrays,
    gradients: Arrays,
    moments: Moments,
    rate: float = 1.0,
    rho: float = 0.95,
    epsilon: float = 1e-6,
) -> tuple[Arrays, Moments]:
    """Zeiler (2012), arXiv:1212.5701, algorithm 1, where there is no rate.

    `moments.first` is E[dx^2] and `moments.second` is E[g^2].
    """
    moved, first, second = [], [], []
    rows = zip(parameters, gradients, *moments, strict=True)
    for p, g, mean_step, mean_gradient in rows:
        mean_gradient = rho * mean_gradient + (1 - rho) * g**2
        step = -np.sqrt(mean_step + epsilon) / np.sqrt(mean_gradient + epsilon) * g
        moved.append(p + rate * step)
        first.append(rho * mean_step + (1 - rho) * step**2)
        second.append(mean_gradient)
    return moved, Moments(first, second)
