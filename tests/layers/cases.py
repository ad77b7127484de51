"""Masks, and ways to run a function, that every recurrent layer has to stand."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from tests.reference.lstm import Weights

MASKS = {
    "full": [[1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1]],
    "right_padded": [[1, 1, 1, 1], [1, 0, 0, 0], [1, 1, 0, 0]],
    "left_padded": [[1, 1, 1, 1], [0, 0, 0, 1], [0, 1, 1, 1]],
    "holes": [[1, 0, 1, 1], [0, 1, 0, 1], [1, 0, 0, 1]],
    "empty_row": [[0, 0, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]],
    "empty": [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]],
}

EXECUTIONS: dict[str, Callable[[Callable[..., Any]], Callable[..., Any]]] = {
    "eager": lambda function: function,
    "graph": tf.function,
    "xla": functools.partial(tf.function, jit_compile=True),
}


def mask_of(name: str) -> np.ndarray:
    """Returns bool, `[3, 4]`."""
    return np.array(MASKS[name], bool)


def random_weights(random: np.random.Generator, width: int, units: int) -> Weights:
    """Returns weights that keep the gates away from saturation."""
    return Weights(
        random.normal(0, width**-0.5, (width, 4 * units)),
        random.normal(0, units**-0.5, (units, 4 * units)),
        random.normal(0, 0.5, 4 * units),
    )
