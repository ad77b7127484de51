"""What comes between the decoder's state and the softmax."""

from typing import Any

import keras
import tensorflow as tf

from nmt.layers import Maxout, product

_ACTIVATIONS = ("maxout", "tanh")


@keras.saving.register_keras_serializable(package="nmt")
class DeepOutput(keras.layers.Layer):
    """Mixes state, last word and context (Bahdanau et al., 2015, appendix A.2.2).

        t~_i = U_o s + V_o E y_{i-1} + C_o c_i + b
        t_i = maxout(t~_i), or tanh(t~_i)

    Which state s is, s_{i-1} (the paper) or s_i, is the caller's choice. U_o, V_o and
    C_o, one below the other, are `kernel`, so that all positions of a known target are
    one product: nothing here feeds back into the recurrence.

    Args:
        units: Width of t_i (l in the paper).
        activation: `maxout` or `tanh`.
        kernel_initializer: For U_o, V_o and C_o.
        bias_initializer: For b.
        **kwargs: As for `keras.layers.Layer`.

    Call arguments:
        hidden: s, float, `[..., hidden]`.
        embedded: E y_{i-1}, `[..., embedding]`.
        context: c_i, `[..., annotation]`.

    Returns:
        t_i, `[..., units]`.

    Raises:
        ValueError: there is no such activation.

    Example:
        >>> output = DeepOutput(units=5)
        >>> output(tf.ones([2, 4]), tf.ones([2, 3]), tf.ones([2, 6])).shape
        TensorShape([2, 5])
    """

    def __init__(
        self,
        units: int,
        activation: str = "maxout",
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        if activation not in _ACTIVATIONS:
            raise ValueError(f"activation must be one of {_ACTIVATIONS}")
        self.units = units
        self.activation = activation
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.bias_initializer = keras.initializers.get(bias_initializer)
        self.maxout = Maxout(dtype=self.dtype_policy, name="maxout")

    def build(self, hidden_shape: Any, embedded_shape: Any, context_shape: Any) -> None:
        """Creates the weights for the three widths."""
        width = self.units * (2 if self.activation == "maxout" else 1)
        rows = hidden_shape[-1] + embedded_shape[-1] + context_shape[-1]
        self.kernel = self.add_weight(
            shape=(rows, width), initializer=self.kernel_initializer, name="kernel"
        )
        self.bias = self.add_weight(
            shape=(width,), initializer=self.bias_initializer, name="bias"
        )
        self.built = True

    def call(
        self, hidden: tf.Tensor, embedded: tf.Tensor, context: tf.Tensor
    ) -> tf.Tensor:
        """Returns t_i; see the class."""
        dtype = self.compute_dtype
        parts = [tf.cast(part, dtype) for part in (hidden, embedded, context)]
        outputs = product(tf.concat(parts, axis=-1), tf.cast(self.kernel, dtype))
        outputs += tf.cast(self.bias, dtype)
        return self.maxout(outputs) if self.activation == "maxout" else tf.tanh(outputs)

    def get_config(self) -> dict[str, Any]:
        """Returns the constructor's arguments."""
        serialize = keras.initializers.serialize
        return {
            **super().get_config(),
            "units": self.units,
            "activation": self.activation,
            "kernel_initializer": serialize(self.kernel_initializer),
            "bias_initializer": serialize(self.bias_initializer),
        }
