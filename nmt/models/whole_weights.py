"""Slices of a weight as one tensor in a checkpoint, however many they are."""

from collections.abc import Sequence
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from nmt.distribution.colocation import on_host
from nmt.layers import slice_name


class WholeWeight(tf.__internal__.tracking.Trackable):
    """What a checkpoint sees instead of the slices of a weight.

    It is stored as a variable that holds the whole weight would be: a checkpoint that
    was written with K slices is read into any other number of them, one included, and
    the reverse, bit for bit.

    Args:
        slices: In the order of the words.
        axis: Their axis of words.
    """

    def __init__(self, slices: Sequence[tf.Variable], axis: int) -> None:
        self._slices = tuple(slices)
        self._axis = axis

    def numpy(self) -> np.ndarray:
        """Returns the whole, in the memory of the host: a device may be too small."""
        return np.concatenate([each.numpy() for each in self._slices], self._axis)

    def assign(self, whole: np.ndarray | tf.Tensor) -> None:
        """Gives the slices their parts of the whole.

        Raises:
            ValueError: it has another number of words.
        """
        sizes = [each.shape[self._axis] for each in self._slices]
        if whole.shape[self._axis] != sum(sizes):
            raise ValueError(f"{whole.shape} cannot be cut into slices of {sizes}")
        parts = tf.split(whole, sizes, self._axis)
        for variable, part in zip(self._slices, parts, strict=True):
            variable.assign(part)

    # `tf.train.Checkpoint` calls these two; the name is what variables are stored by.

    def _serialize_to_tensors(self) -> dict[str, Any]:
        # Of a tensor that is nowhere it would think that it is on another machine.
        with on_host():
            return {"VARIABLE_VALUE": tf.constant(self.numpy())}

    def _restore_from_tensors(self, restored: dict[str, Any]) -> None:
        self.assign(restored["VARIABLE_VALUE"])


def by_whole_path(variables: Sequence[keras.Variable]) -> dict[str, Any]:
    """Returns what a checkpoint stores, by path.

    Slices are one `WholeWeight`, under the path of the weight that they are slices of;
    all others are themselves.

    Args:
        variables: Weights, or slots of an optimizer, whose paths hold those of weights.

    Raises:
        ValueError: two share a path.
    """
    slices: dict[str, list[tf.Variable]] = {}
    axes: dict[str, int] = {}
    stored: dict[str, Any] = {}
    for variable in variables:
        name = slice_name(variable.path)
        if name is None:
            if variable.path in stored:
                raise ValueError(f"two weights have the path {variable.path!r}")
            stored[variable.path] = variable.value
            continue
        own = slices.setdefault(name.path, [])
        if name.number != len(own):
            raise ValueError(f"slices of {name.path!r} are missing or out of order")
        own.append(variable.value)
        axes[name.path] = name.axis
    wholes = {path: WholeWeight(own, axes[path]) for path, own in slices.items()}
    return stored | wholes
