"""Dropout of a stack, drawn before its time loops."""

from typing import Any, NamedTuple

import keras
import tensorflow as tf

from nmt.distribution import on_stage


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


def draw_masks(stack: Any, batch: tf.Tensor, time: tf.Tensor) -> StackMasks:
    """Draws the masks of a batch, each on the stage of the layer that it is for.

    Args:
        stack: A `RecurrentStack`.
        batch: Rows.
        time: Steps.
    """

    def draw(index: int, *shape: Any) -> tf.Tensor:
        with on_stage(stack.stage(index)):
            ones = tf.ones([*shape, stack.units], stack.compute_dtype)
            seed = stack.seed_generator
            return keras.random.dropout(ones, stack.dropout, seed=seed)

    layers = range(stack.num_layers)
    steps = 1 if stack.variational_dropout else time
    between = tuple(draw(index, batch, steps) for index in layers[1:])
    if not stack.variational_dropout:
        return StackMasks(between, ())
    return StackMasks(between, tuple(draw(index, batch) for index in layers))
