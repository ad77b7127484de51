"""From hidden vectors to the logits of words."""

from typing import Any

import keras
import tensorflow as tf

from nmt.layers import product, token_losses


@keras.saving.register_keras_serializable(package="nmt")
class WordLogits(keras.layers.Layer):
    """The last product before the softmax.

        logits = W_o t + b,  p(y_i) = softmax(logits)

    W_o is `kernel`; tied (Press and Wolf, 2017, arXiv:1608.05859) it is the table of
    the target embeddings, and this layer has the bias only.

    Args:
        vocabulary_size: Words.
        tied: Whether W_o is the embedding table.
        kernel_initializer: For W_o.
        bias_initializer: For b.
        **kwargs: As for `keras.layers.Layer`.

    Call arguments:
        inputs: t, float, `[..., width]`.
        table: The embedding table, `[vocabulary, width]`, if tied.

    Returns:
        float32, `[..., vocabulary]`.

    Example:
        >>> WordLogits(9)(tf.ones([2, 3, 4])).shape
        TensorShape([2, 3, 9])
    """

    def __init__(
        self,
        vocabulary_size: int,
        tied: bool = False,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        self.vocabulary_size = vocabulary_size
        self.tied = tied
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.bias_initializer = keras.initializers.get(bias_initializer)

    def build(self, input_shape: Any) -> None:
        """Creates the weights for `[..., width]`."""
        if not self.tied:
            self.kernel = self.add_weight(
                shape=(input_shape[-1], self.vocabulary_size),
                initializer=self.kernel_initializer,
                name="kernel",
            )
        self.bias = self.add_weight(
            shape=(self.vocabulary_size,),
            initializer=self.bias_initializer,
            name="bias",
        )
        self.built = True

    def call(self, inputs: tf.Tensor, table: tf.Tensor | None = None) -> tf.Tensor:
        """Returns the logits; see the class."""
        dtype = self.compute_dtype
        if self.tied:
            kernel = tf.transpose(tf.cast(table, dtype))
        else:
            kernel = tf.cast(self.kernel, dtype)
        logits = product(tf.cast(inputs, dtype), kernel)
        return tf.cast(logits, tf.float32) + tf.cast(self.bias, tf.float32)

    def token_losses(
        self,
        inputs: tf.Tensor,
        targets: tf.Tensor,
        label_smoothing: float = 0.0,
        table: tf.Tensor | None = None,
    ) -> tuple[tf.Tensor, tf.Tensor]:
        """Returns the losses of target words, see `nmt.layers.token_losses`.

        Args:
            inputs: t, float, `[tokens, width]`.
            targets: y, int, `[tokens]`.
            label_smoothing: epsilon, in `[0, 1)`.
            table: As for the call.

        Returns:
            The smoothed loss and -log p(y), float32, nats, `[tokens]` each.
        """
        return token_losses(self(inputs, table), targets, label_smoothing)

    def get_config(self) -> dict[str, Any]:
        """Returns the constructor's arguments."""
        serialize = keras.initializers.serialize
        return {
            **super().get_config(),
            "vocabulary_size": self.vocabulary_size,
            "tied": self.tied,
            "kernel_initializer": serialize(self.kernel_initializer),
            "bias_initializer": serialize(self.bias_initializer),
        }
