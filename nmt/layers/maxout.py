"""Maxout units."""

from typing import Any

import keras
import tensorflow as tf


@keras.saving.register_keras_serializable(package="nmt")
class Maxout(keras.layers.Layer):
    """Keeps the larger of two neighbouring units (Goodfellow et al., 2013).

    As in the deep output of Bahdanau et al. (2015, appendix A.2.2):

        t_j = max(t~_{2j-1}, t~_{2j}),  j = 1 ... l

    Call arguments:
        inputs: t~, float, `[..., 2 l]`.

    Returns:
        t, `[..., l]`.

    Raises:
        ValueError: the inputs have an odd width.

    Example:
        >>> Maxout()(tf.constant([[1.0, 2.0, 5.0, 3.0]])).numpy()
        array([[2., 5.]], dtype=float32)
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True

    def build(self, input_shape: Any) -> None:
        """Checks the width; there are no weights."""
        if input_shape[-1] % 2:
            raise ValueError(f"maxout needs pairs of units, got {input_shape[-1]}")

    def call(self, inputs: tf.Tensor) -> tf.Tensor:
        """Returns the larger units; see the class."""
        width = inputs.shape[-1] // 2
        shape = tf.concat([tf.shape(inputs)[:-1], [width, 2]], axis=0)
        outputs = tf.reduce_max(tf.reshape(inputs, shape), axis=-1)
        return tf.ensure_shape(outputs, [*inputs.shape[:-1], width])
