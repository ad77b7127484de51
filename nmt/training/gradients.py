"""Gradients of a whole batch: summed, divided, and kept below a norm."""

from collections.abc import Sequence
from typing import TypeAlias

import tensorflow as tf

Gradient: TypeAlias = tf.Tensor | tf.IndexedSlices


def combine_rows(gradient: Gradient) -> Gradient:
    """Adds up the slices of an embedding's gradient that belong to one row.

    A word that occurs n times in a batch arrives as n slices. A norm over slices, and
    Adam's square of each, would treat them as n rows, which they are not.

    Args:
        gradient: Dense, or slices `[occurrences, width]`.

    Returns:
        Dense as it was, or slices `[distinct rows, width]`.
    """
    if not isinstance(gradient, tf.IndexedSlices):
        return gradient
    rows, segments = tf.unique(gradient.indices)
    values = tf.math.unsorted_segment_sum(gradient.values, segments, tf.size(rows))
    return tf.IndexedSlices(values, rows, gradient.dense_shape)


def global_norm(gradients: Sequence[Gradient]) -> tf.Tensor:
    """Returns the Euclidean norm of all gradients together, float32 scalar.

    Slices must have gone through `combine_rows`.
    """
    # l2_loss is half the sum of squares, in one passage over the numbers.
    halves = [
        tf.nn.l2_loss(tf.cast(_values(gradient), tf.float32)) for gradient in gradients
    ]
    return tf.sqrt(2.0 * tf.add_n(halves))


def divide_and_rescale(
    gradients: Sequence[Gradient], divisor: tf.Tensor, max_norm: float
) -> tuple[list[Gradient], tf.Tensor]:
    """Divides gradients, and rescales them if their global norm is above a limit.

    With n the divisor and s = ||g / n||_2 over all gradients together (Sutskever et
    al., 2014, section 3.4, n = 128 sentences and max_norm = 5; the direction stays):

        g <- g / n,  g <- max_norm g / s  if s > max_norm

    Args:
        gradients: All gradients of the model, after any sum over replicas; slices must
            have gone through `combine_rows`.
        divisor: n, float32 scalar, positive.
        max_norm: The limit; 0 for none.

    Returns:
        The gradients, and s, float32 scalar.
    """
    norm = global_norm(gradients) / divisor
    factor = 1.0 / divisor
    if max_norm:
        factor *= max_norm / tf.maximum(norm, max_norm)
    return [_scale(gradient, factor) for gradient in gradients], norm


def _values(gradient: Gradient) -> tf.Tensor:
    return gradient.values if isinstance(gradient, tf.IndexedSlices) else gradient


def _scale(gradient: Gradient, factor: tf.Tensor) -> Gradient:
    if isinstance(gradient, tf.IndexedSlices):
        values = gradient.values * tf.cast(factor, gradient.values.dtype)
        return tf.IndexedSlices(values, gradient.indices, gradient.dense_shape)
    return gradient * tf.cast(factor, gradient.dtype)
