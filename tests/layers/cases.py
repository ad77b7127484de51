"""Masks, and ways to run a function, that every recurrent layer has to stand."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from tests.reference import gru
from tests.reference.lstm import Weights
from tests.tolerance import assert_close

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


def random_weights(
    random: np.random.Generator, width: int, units: int, gates: int = 4
) -> Weights:
    """Returns weights that keep the gates away from saturation."""
    return Weights(
        random.normal(0, width**-0.5, (width, gates * units)),
        random.normal(0, units**-0.5, (units, gates * units)),
        random.normal(0, 0.5, gates * units),
    )


def turned(weights: Sequence[Any]) -> gru.Weights:
    """Turns Keras' update gate into the papers': 1 - sigmoid(a) = sigmoid(-a)."""
    arrays = [np.array(weight, float) for weight in weights]
    sign = np.repeat([-1.0, 1.0, 1.0], arrays[1].shape[0])
    return gru.Weights(*(sign * array for array in arrays))


def assert_equal_nests(
    actual: Any, expected: Any, dtype: str = "float64", what: str = ""
) -> None:
    """Compares all tensors of two nested structures of the same form."""
    pairs = zip(tf.nest.flatten(actual), tf.nest.flatten(expected), strict=True)
    for index, (one, other) in enumerate(pairs):
        assert (one is None) == (other is None), f"{what} {index}"
        if one is not None:
            one = tf.cast(one, tf.float64)
            assert_close(one, other, dtype, f"{what} {index}")


def weighted_total(values: Any) -> tf.Tensor:
    """Returns a sum of all numbers in which no two have the same weight.

    Its gradient tells apart what an equally weighted sum would confuse.
    """
    total = tf.zeros([], tf.float64)
    for value in tf.nest.flatten(values):
        if value is None:
            continue
        flat = tf.reshape(tf.cast(value, tf.float64), [-1])
        total += tf.reduce_sum(flat * tf.cos(tf.range(tf.size(flat), dtype=flat.dtype)))
    return total
