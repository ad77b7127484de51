"""Dropout of a stack, drawn before its time loops."""

from typing import NamedTuple

import tensorflow as tf


class StackMasks(NamedTuple):
    """What a stack's values are multiplied by in training: dropout.

    Attributes:
        between: For the inputs of every layer but the first, `[batch, time, units]`;
            time is 1 where the masks are the same at all steps. Of a single step,
            `[batch, units]`.
        recurrent: For h of every layer, `[batch, units]`; empty: none is dropped.
    """

    between: tuple[tf.Tensor, ...]
    recurrent: tuple[tf.Tensor, ...]

    def at(self, t: tf.Tensor) -> "StackMasks":
        """Returns the masks of step t."""
        between = (
            each[:, tf.minimum(t, tf.shape(each)[1] - 1)] for each in self.between
        )
        return StackMasks(tuple(between), self.recurrent)
