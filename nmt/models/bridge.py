"""From the encoder's last state to the decoder's first."""

from collections.abc import Sequence
from typing import Any

import keras
import tensorflow as tf

from nmt.distribution import placed, variables_on
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
        stages: Device of each layer, see `RecurrentStack`.
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
        stages: Sequence[int] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.stages = (None,) * num_layers if stages is None else tuple(stages)
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
        for layer, stage in zip(self.projections, self.stages, strict=True):
            with variables_on(stage):
                layer.build((None, self.encoder_size))
        self.built = True

    def call(self, state: tuple[Any, ...]) -> tuple[Any, ...]:
        """Returns the first states; see the class."""
        start = []
        for index, layer_state in enumerate(state):
            if isinstance(layer_state, BidirectionalState):
                layer_state = layer_state.backward
            project = placed(self.stages[index], self._project)
            start.append(project(layer_state.hidden, index=index))
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
            "stages": None if None in self.stages else self.stages,
        }

    def _project(self, hidden: tf.Tensor, index: int) -> Any:
        """Returns the first state of one layer."""
        parts = len(self.state_type._fields)
        values = tf.split(self.projections[index](hidden), parts, axis=-1)
        return self.state_type(*(tf.cast(each, self.variable_dtype) for each in values))

    def _projection(self, index: int) -> keras.layers.Dense:
        return keras.layers.Dense(
            self.units * len(self.state_type._fields),
            activation="tanh",
            kernel_initializer=reseeded(self.kernel_initializer, index),
            bias_initializer=reseeded(self.bias_initializer, index),
            dtype=self.dtype_policy,
            name=f"projection_{index}",
        )
