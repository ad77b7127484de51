"""From the encoder's last state to the decoder's first."""

from typing import Any

import keras
import tensorflow as tf

from nmt.layers import STACKS, BidirectionalState, reseeded


@keras.saving.register_keras_serializable(package="nmt")
class Bridge(keras.layers.Layer):
    """Starts each layer of the decoder from the same layer of the encoder.

    With h the hidden part of the encoder layer's last state, which after a layer of
    both directions is that of the backward one, at the first word (Bahdanau et al.,
    2015, appendix A.2.2):

        s_0 = tanh(W_s h + b_s)

    An LSTM's cell starts as another such projection of h (the paper has GRUs only).

    Args:
        cell: `lstm` or `gru`.
        encoder_size: Width of an encoder layer, in one direction.
        units: Width of a decoder layer.
        num_layers: Layers.
        kernel_initializer: For W_s.
        bias_initializer: For b_s.
        **kwargs: As for `keras.layers.Layer`.

    Call arguments:
        state: The encoder's last states, lowest first, see `Encoding`.

    Returns:
        One `LSTMState` or `GRUState` a layer, `[batch, units]` each.

    Example:
        >>> from nmt.layers import GRUState
        >>> bridge = Bridge("gru", encoder_size=3, units=4, num_layers=1)
        >>> bridge((GRUState(tf.ones([2, 3])),))[0].hidden.shape
        TensorShape([2, 4])
    """

    def __init__(
        self,
        cell: str,
        encoder_size: int,
        units: int,
        num_layers: int,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.cell = cell
        self.encoder_size = encoder_size
        self.units = units
        self.num_layers = num_layers
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.bias_initializer = keras.initializers.get(bias_initializer)
        self.state_type = STACKS[cell].layer_type.state_type
        self.projections = [self._projection(index) for index in range(num_layers)]
        for layer in self.projections:
            # tf.train.Checkpoint saves nothing of layers that are only in a list.
            setattr(self, layer.name, layer)

    def build(self, state_shape: Any = None) -> None:
        """Creates the weights; their shapes do not depend on the input's."""
        for layer in self.projections:
            layer.build((None, self.encoder_size))
        self.built = True

    def call(self, state: tuple[Any, ...]) -> tuple[Any, ...]:
        """Returns the first states; see the class."""
        start = []
        for layer, layer_state in zip(self.projections, state, strict=True):
            if isinstance(layer_state, BidirectionalState):
                layer_state = layer_state.backward
            parts = len(self.state_type._fields)
            values = tf.split(layer(layer_state.hidden), parts, axis=-1)
            values = [tf.cast(each, self.variable_dtype) for each in values]
            start.append(self.state_type(*values))
        return tuple(start)

    def get_config(self) -> dict[str, Any]:
        """Returns the constructor's arguments."""
        serialize = keras.initializers.serialize
        return {
            **super().get_config(),
            "cell": self.cell,
            "encoder_size": self.encoder_size,
            "units": self.units,
            "num_layers": self.num_layers,
            "kernel_initializer": serialize(self.kernel_initializer),
            "bias_initializer": serialize(self.bias_initializer),
        }

    def _projection(self, index: int) -> keras.layers.Dense:
        return keras.layers.Dense(
            self.units * len(self.state_type._fields),
            activation="tanh",
            kernel_initializer=reseeded(self.kernel_initializer, index),
            bias_initializer=reseeded(self.bias_initializer, index),
            dtype=self.dtype_policy,
            name=f"projection_{index}",
        )
