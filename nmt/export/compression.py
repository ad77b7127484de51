"""Weights in fewer bits, which become float32 again when a graph runs."""

import contextlib
from collections.abc import Sequence
from typing import Any

import keras
import numpy as np
import tensorflow as tf

KINDS = ("none", "float16", "int8")
# Smaller ones, biases and scales, keep their 32 bits: they are no part of the size.
_SMALLEST = 1024


class CompressedWeights:
    """Stores the weights of models in 16 or 8 bits.

    `float16` rounds each weight to 11 bits. `int8` has one scale a column,

        W_ij ~ s_j q_ij,  s_j = max_i |W_ij| / 127,  q_ij = round(W_ij / s_j)

    Inside `scope` all code that reads a weight gets the restored one: the graph that is
    made there restores it once a run, and computes in float32.

    Args:
        models: Built.
        kind: `float16` or `int8`.

    Attributes:
        stored: What a module must track to have it saved, variables of each weight.
            The weights themselves are to be left out: this object is no module.
    """

    def __init__(self, models: Sequence[keras.Model], kind: str) -> None:
        self._weights = [weight for model in models for weight in model.weights]
        self.stored = [_store(weight.numpy(), kind) for weight in self._weights]

    def scope(self) -> contextlib.AbstractContextManager[Any]:
        """Makes the models in a graph that is made inside read the stored weights."""
        restored = [_restore(*each) for each in self.stored]
        return keras.StatelessScope(
            state_mapping=list(zip(self._weights, restored, strict=True))
        )

    @property
    def bytes(self) -> int:
        """What the stored weights take."""
        return sum(
            part.dtype.size * int(np.prod(part.shape))
            for parts in self.stored
            for part in parts
        )


def bytes_of(models: Sequence[keras.Model]) -> int:
    """Returns what the weights of models take in float32."""
    return sum(4 * model.count_params() for model in models)


def _store(value: np.ndarray, kind: str) -> tuple[tf.Variable, ...]:
    """Returns the stored form of a weight: itself, or integers and their scales."""
    if value.ndim < 2 or value.size < _SMALLEST:
        return (tf.Variable(value, trainable=False),)
    if kind == "float16":
        # A weight beyond the range would be infinite.
        largest = np.finfo(np.float16).max
        halves = np.clip(value, -largest, largest).astype(np.float16)
        return (tf.Variable(halves, trainable=False),)
    scale = np.abs(value).max(axis=tuple(range(value.ndim - 1))) / 127
    rounded = np.round(value / np.where(scale > 0, scale, 1)).astype(np.int8)
    return (
        tf.Variable(rounded, trainable=False),
        tf.Variable(scale.astype(np.float32), trainable=False),
    )


def _restore(stored: tf.Variable, scale: tf.Variable | None = None) -> tf.Tensor:
    value = tf.cast(stored, tf.float32)
    return value if scale is None else value * scale
