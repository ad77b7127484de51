"""Gradients of a whole batch: summed, divided, and kept below a norm."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import keras
import tensorflow as tf

from nmt.distribution import beside

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


def beside_each(
    variables: Sequence[keras.Variable] | None,
    function: Callable[[Gradient], Any],
    gradients: Sequence[Gradient],
) -> list[Any]:
    """Applies a function to each gradient, on the device of its variable.

    Args:
        variables: What the gradients are of; None: on the device at hand.
        function: Of a gradient.
        gradients: One for each variable.
    """
    if variables is None:
        return [function(gradient) for gradient in gradients]
    results = []
    for variable, gradient in zip(variables, gradients, strict=True):
        with beside(variable):
            results.append(function(gradient))
    return results


def global_norm(
    gradients: Sequence[Gradient], variables: Sequence[keras.Variable] | None = None
) -> tf.Tensor:
    """Returns the Euclidean norm of all gradients together, float32 scalar.

    Slices must have gone through `combine_rows`.
    """

    def half(gradient: Gradient) -> tf.Tensor:
        # Half the sum of squares, in one passage over the numbers.
        return tf.nn.l2_loss(tf.cast(_values(gradient), tf.float32))

    return tf.sqrt(2.0 * tf.add_n(beside_each(variables, half, gradients)))


def divide_and_rescale(
    gradients: Sequence[Gradient],
    divisor: tf.Tensor,
    max_norm: float,
    variables: Sequence[keras.Variable] | None = None,
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
        variables: What the gradients are of, beside which all but the norm stays; None:
            on the device at hand.

    Returns:
        The gradients, and s, float32 scalar.
    """
    norm = global_norm(gradients, variables) / divisor
    factor = 1.0 / divisor
    if max_norm:
        factor *= max_norm / tf.maximum(norm, max_norm)

    def scale(gradient: Gradient) -> Gradient:
        return _scale(gradient, factor)

    return beside_each(variables, scale, gradients), norm


def _values(gradient: Gradient) -> tf.Tensor:
    return gradient.values if isinstance(gradient, tf.IndexedSlices) else gradient


def _scale(gradient: Gradient, factor: tf.Tensor) -> Gradient:
    if isinstance(gradient, tf.IndexedSlices):
        values = gradient.values * tf.cast(factor, gradient.values.dtype)
        return tf.IndexedSlices(values, gradient.indices, gradient.dense_shape)
    return gradient * tf.cast(factor, gradient.dtype)
