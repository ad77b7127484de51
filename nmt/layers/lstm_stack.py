"""The deep LSTM of the paper: layers on top of each other."""

from collections.abc import Sequence
from typing import Any

import keras
import tensorflow as tf

from nmt.layers.lstm import LSTM
from nmt.layers.lstm_cell import LSTMState, lstm_step


@keras.saving.register_keras_serializable(package="nmt")
class LSTMStack(keras.layers.Layer):
    """Several LSTM layers, each reading the hidden states of the one below.

    With inputs h^0_t and L layers (Sutskever et al., 2014, section 3.4; plain, without
    residual connections):

        (h^l_t, c^l_t) = LSTM_l(dropout(h^{l-1}_t), h^l_{t-1}, c^l_{t-1})

    for l = 1 ... L, and outputs h^L_t. LSTM_l is `lstm_layers[l - 1]`; its equations
    are at `lstm_step`. Dropout is on the inputs of all layers but the first and not on
    the recurrence (Zaremba et al., 2014, arXiv:1409.2329); the paper has none.

    Masking: a masked step leaves every state as it is, so that the final states of a
    padded batch are those of each sequence alone. The outputs there mean nothing.

    The states have the type of the weights: float32 in mixed precision too, so that a
    decoder that goes step by step rounds none of what it carries along.

    Args:
        units: Cells a layer.
        num_layers: L.
        dropout: Share of units dropped between layers in training.
        kernel_initializer: For W of all layers. Each layer draws values of its own,
            even if the initializer has a seed.
        recurrent_initializer: For U, likewise.
        bias_initializer: For b, likewise.
        unit_forget_bias: Whether the forget gates' bias starts at 1; the paper draws it
            like every other weight.
        kernel: Which time loop the layers run, see `LSTM`.
        seed: Of the dropout; None: from Keras' global seed.
        **kwargs: As for `keras.layers.Layer`.

    Call arguments:
        inputs: float, `[batch, time, input]`.
        initial_state: One `LSTMState` a layer, lowest first; None: zeros.
        mask: bool, `[batch, time]`; True marks a valid step.
        training: Whether dropout applies.

    Returns:
        outputs: `[batch, time, units]`, in the compute type.
        state: One `LSTMState` a layer, after the last valid step.

    Raises:
        ValueError: `num_layers` is less than 1.

    Example:
        >>> stack = LSTMStack(units=8, num_layers=2)
        >>> outputs, state = stack(tf.ones([2, 5, 3]))
        >>> outputs.shape, len(state), state[0].cell.shape
        (TensorShape([2, 5, 8]), 2, TensorShape([2, 8]))
    """

    def __init__(
        self,
        units: int,
        num_layers: int,
        dropout: float = 0.0,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        unit_forget_bias: bool = True,
        kernel: str = "auto",
        seed: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if num_layers < 1:
            raise ValueError(f"num_layers must be at least 1, got {num_layers}")
        self.units = units
        self.num_layers = num_layers
        self.dropout = dropout
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.recurrent_initializer = keras.initializers.get(recurrent_initializer)
        self.bias_initializer = keras.initializers.get(bias_initializer)
        self.unit_forget_bias = unit_forget_bias
        self.kernel = kernel
        self.seed = seed
        self.supports_masking = True
        self.lstm_layers = [self._lstm_layer(index) for index in range(num_layers)]
        self.dropout_layers = [
            keras.layers.Dropout(
                dropout,
                seed=None if seed is None else seed + index,
                dtype=self.dtype_policy,
                name=f"dropout_{index}",
            )
            for index in range(1, num_layers)
        ]
        for layer in (*self.lstm_layers, *self.dropout_layers):
            # tf.train.Checkpoint saves nothing of layers that are only in a list.
            setattr(self, layer.name, layer)

    @property
    def kernels_in_use(self) -> tuple[str, ...]:
        """The time loop that each layer runs, see `LSTM.kernel_in_use`."""
        return tuple(layer.kernel_in_use for layer in self.lstm_layers)

    def build(self, input_shape: Sequence[int | None]) -> None:
        """Creates the weights for inputs `[batch, time, input]`."""
        for layer in self.lstm_layers:
            layer.build(tuple(input_shape))
            input_shape = (*input_shape[:-1], self.units)

    def call(
        self,
        inputs: tf.Tensor,
        initial_state: Sequence[LSTMState] | None = None,
        mask: tf.Tensor | None = None,
        training: bool = False,
    ) -> tuple[tf.Tensor, tuple[LSTMState, ...]]:
        """Runs all layers over the sequences; see the class."""
        outputs, final_state = inputs, []
        for index, layer in enumerate(self.lstm_layers):
            if index:
                outputs = self.dropout_layers[index - 1](outputs, training=training)
            outputs, hidden, cell = layer(
                outputs,
                initial_state=None if initial_state is None else initial_state[index],
                mask=mask,
                training=training,
            )
            final_state.append(_cast(LSTMState(hidden, cell), self.variable_dtype))
        return outputs, tuple(final_state)

    def step(
        self, inputs: tf.Tensor, state: Sequence[LSTMState]
    ) -> tuple[tf.Tensor, tuple[LSTMState, ...]]:
        """Advances all layers by one step, without dropout, once they are built.

        Args:
            inputs: `[batch, input]`.
            state: One `LSTMState` a layer, lowest first.

        Returns:
            output: `[batch, units]`.
            state: The next state. Both are what `call` returns for a single step.
        """
        outputs, new_state = tf.cast(inputs, self.compute_dtype), []
        for layer, layer_state in zip(self.lstm_layers, state, strict=True):
            layer_state = _cast(layer_state, self.compute_dtype)
            layer_state = lstm_step(outputs, layer_state, layer.weight_tensors())
            outputs = layer_state.hidden
            new_state.append(_cast(layer_state, self.variable_dtype))
        return outputs, tuple(new_state)

    def get_config(self) -> dict[str, Any]:
        """Returns the constructor's arguments."""
        serialize = keras.initializers.serialize
        return {
            **super().get_config(),
            "units": self.units,
            "num_layers": self.num_layers,
            "dropout": self.dropout,
            "kernel_initializer": serialize(self.kernel_initializer),
            "recurrent_initializer": serialize(self.recurrent_initializer),
            "bias_initializer": serialize(self.bias_initializer),
            "unit_forget_bias": self.unit_forget_bias,
            "kernel": self.kernel,
            "seed": self.seed,
        }

    def _lstm_layer(self, index: int) -> LSTM:
        return LSTM(
            self.units,
            kernel_initializer=_reseeded(self.kernel_initializer, 3 * index),
            recurrent_initializer=_reseeded(self.recurrent_initializer, 3 * index + 1),
            bias_initializer=_reseeded(self.bias_initializer, 3 * index + 2),
            unit_forget_bias=self.unit_forget_bias,
            kernel=self.kernel,
            return_sequences=True,
            return_state=True,
            dtype=self.dtype_policy,
            name=f"lstm_{index}",
        )


def _reseeded(initializer: Any, offset: int) -> Any:
    """Copies an initializer with a seed of its own.

    A Keras initializer returns the same values at every call, seeded or not: shared as
    it is, it would make all layers start equal, and W equal to U.
    """
    config = initializer.get_config() if hasattr(initializer, "get_config") else {}
    seed = config.get("seed", "none")
    if seed is not None and not isinstance(seed, int):
        return initializer
    config["seed"] = None if seed is None else seed + offset
    return type(initializer).from_config(config)


def _cast(state: LSTMState, dtype: str) -> LSTMState:
    return LSTMState(*(tf.cast(value, dtype) for value in state))
