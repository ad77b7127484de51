"""Deep networks that read a sequence in both directions."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import keras
import tensorflow as tf

from nmt.distribution import placed, variables_on
from nmt.layers.gru_stack import GRUStack
from nmt.layers.lstm_stack import LSTMStack
from nmt.layers.reseeding import reseeded
from nmt.layers.stack_parts import check_layers, new_norm_layers

STACKS: dict[str, Any] = {"lstm": LSTMStack, "gru": GRUStack}


class BidirectionalState(NamedTuple):
    """The last states of a layer that reads in both directions.

    Attributes:
        forward: After the last word: an `LSTMState` or a `GRUState`.
        backward: After the first word, read last.
    """

    forward: Any
    backward: Any


@keras.saving.register_keras_serializable(package="nmt")
class BidirectionalStack(keras.layers.Layer):
    """Layers that read what is below them forwards and backwards.

    With inputs o^0_t and L layers (Schuster and Paliwal, 1997; Bahdanau et al., 2015,
    section 3.2, has one of them):

        f^l_t = cell(D(o^{l-1}_t), f^l_{t-1}),  b^l_t = cell'(D(o^{l-1}_t), b^l_{t+1})
        o^l_t = [h(f^l_t) ; h(b^l_t)]  (+ o^{l-1}_t for l > 1 with `residual`)

    Both directions read the same inputs. Dropout D, residual connections and layer
    normalisation are as in `RecurrentStack`.

    Masking: the mask must have the padding at the end. The backward direction begins at
    the last word of each sequence, so that states and outputs at words are those of
    each sequence alone. The outputs at padding mean nothing.

    Args:
        cell: `lstm` or `gru`.
        units: Width of a layer in each direction.
        num_layers: L.
        dropout: Share of units dropped between layers in training.
        variational_dropout: As in `RecurrentStack`.
        residual: As in `RecurrentStack`.
        layer_norm: As in `RecurrentStack`.
        kernel_initializer: As in `RecurrentStack`, and so are the next two.
        recurrent_initializer: For U.
        bias_initializer: For b.
        unit_forget_bias: Whether the forget gates' bias of an `lstm` starts at 1.
        kernel: Which time loop the layers run, see `LSTM` and `GRU`.
        stages: As in `RecurrentStack`; both directions of a layer share a device.
        **kwargs: As for `keras.layers.Layer`.

    Call arguments:
        inputs: float, `[batch, time, input]`.
        mask: bool, `[batch, time]`; True marks a valid step.
        training: Whether dropout applies.

    Returns:
        outputs: `[batch, time, 2 * units]`.
        state: One `BidirectionalState` a layer.

    Raises:
        ValueError: `cell` is unknown, or `num_layers` is less than 1 or not the number
            of stages.

    Example:
        >>> stack = BidirectionalStack("gru", units=8, num_layers=1)
        >>> outputs, state = stack(tf.ones([2, 5, 3]))
        >>> outputs.shape, state[0].backward.hidden.shape
        (TensorShape([2, 5, 16]), TensorShape([2, 8]))
    """

    def __init__(
        self,
        cell: str,
        units: int,
        num_layers: int,
        dropout: float = 0.0,
        variational_dropout: bool = False,
        residual: bool = False,
        layer_norm: bool = False,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        unit_forget_bias: bool = True,
        kernel: str = "auto",
        stages: Sequence[int] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if cell not in STACKS:
            raise ValueError(f"cell must be one of {tuple(STACKS)}, got {cell!r}")
        check_layers(num_layers, stages)
        self.cell = cell
        self.units = units
        self.num_layers = num_layers
        self.dropout = dropout
        self.variational_dropout = variational_dropout
        self.residual = residual
        self.layer_norm = layer_norm
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.recurrent_initializer = keras.initializers.get(recurrent_initializer)
        self.bias_initializer = keras.initializers.get(bias_initializer)
        self.unit_forget_bias = unit_forget_bias
        self.kernel = kernel
        self.stages = None if stages is None else tuple(stages)
        self.supports_masking = True
        self.seed_generator = keras.random.SeedGenerator()
        self.forward_layers = [self._new("forward", i) for i in range(num_layers)]
        self.backward_layers = [self._new("backward", i) for i in range(num_layers)]
        self.norm_layers = new_norm_layers(self) if layer_norm else []
        for layer in (*self.forward_layers, *self.backward_layers, *self.norm_layers):
            # tf.train.Checkpoint saves nothing of layers that are only in a list.
            setattr(self, layer.name, layer)

    @property
    def kernels_in_use(self) -> tuple[str, ...]:
        """The time loop that each layer runs, see `LSTM` and `GRU`."""
        stacks = (*self.forward_layers, *self.backward_layers)
        return tuple(kernel for stack in stacks for kernel in stack.kernels_in_use)

    def build(self, input_shape: Sequence[int | None]) -> None:
        """Creates the weights for inputs `[batch, time, input]`."""
        shape = (None, None, input_shape[-1])
        for index in range(self.num_layers):
            with variables_on(self.stage(index)):
                self.forward_layers[index].build(shape)
                self.backward_layers[index].build(shape)
            shape = (None, None, 2 * self.units)
        for index, layer in enumerate(self.norm_layers, start=1):
            with variables_on(self.stage(index)):
                layer.build(shape)
        self.built = True

    def call(
        self,
        inputs: tf.Tensor,
        mask: tf.Tensor | None = None,
        training: bool = False,
    ) -> tuple[tf.Tensor, tuple[BidirectionalState, ...]]:
        """Runs all layers over the sequences; see the class."""
        if mask is None:
            mask = tf.ones(tf.shape(inputs)[:2], tf.bool)
        mask = tf.cast(mask, tf.bool)
        lengths = tf.reduce_sum(tf.cast(mask, tf.int32), axis=1)
        outputs, states = inputs, []
        for index in range(self.num_layers):
            run = placed(self.stage(index), self._call_layer)
            outputs, state = run(
                outputs, index=index, mask=mask, lengths=lengths, training=training
            )
            states.append(state)
        return outputs, tuple(states)

    def get_config(self) -> dict[str, Any]:
        """Returns the constructor's arguments."""
        serialize = keras.initializers.serialize
        return {
            **super().get_config(),
            "cell": self.cell,
            "units": self.units,
            "num_layers": self.num_layers,
            "dropout": self.dropout,
            "variational_dropout": self.variational_dropout,
            "residual": self.residual,
            "layer_norm": self.layer_norm,
            "kernel_initializer": serialize(self.kernel_initializer),
            "recurrent_initializer": serialize(self.recurrent_initializer),
            "bias_initializer": serialize(self.bias_initializer),
            "unit_forget_bias": self.unit_forget_bias,
            "kernel": self.kernel,
            "stages": self.stages,
        }

    def stage(self, index: int) -> int | None:
        """Returns the stage of a layer, if there is one."""
        return None if self.stages is None else self.stages[index]

    def _call_layer(
        self,
        below: tf.Tensor,
        index: int,
        mask: tf.Tensor,
        lengths: tf.Tensor,
        training: bool,
    ) -> tuple[tf.Tensor, BidirectionalState]:
        """Runs both directions of one layer over the outputs below it."""
        read = self._read(index, below, training)
        outputs, (forward,) = self.forward_layers[index](
            read, mask=mask, training=training
        )
        hidden, (backward,) = self.backward_layers[index](
            tf.reverse_sequence(read, lengths, seq_axis=1),
            mask=mask,
            training=training,
        )
        hidden = tf.reverse_sequence(hidden, lengths, seq_axis=1)
        outputs = tf.concat([outputs, hidden], axis=-1)
        if index and self.residual:
            outputs += below
        return outputs, BidirectionalState(forward, backward)

    def _read(self, index: int, below: tf.Tensor, training: bool) -> tf.Tensor:
        """Returns what both directions of a layer read of the outputs below it."""
        if index and self.layer_norm:
            below = self.norm_layers[index - 1](below)
        if not index or not training or not self.dropout:
            return below
        shape = tf.shape(below)
        kept = (shape[0], 1, shape[2]) if self.variational_dropout else None
        return keras.random.dropout(
            below, self.dropout, noise_shape=kept, seed=self.seed_generator
        )

    def _new(self, direction: str, index: int) -> Any:
        offset = 3 * (2 * index + (direction == "backward"))
        options = {}
        if self.cell == "lstm":
            options["unit_forget_bias"] = self.unit_forget_bias
        return STACKS[self.cell](
            self.units,
            1,
            # A stack of one layer has dropout on the recurrence only.
            dropout=self.dropout,
            variational_dropout=self.variational_dropout,
            kernel_initializer=reseeded(self.kernel_initializer, offset),
            recurrent_initializer=reseeded(self.recurrent_initializer, offset + 1),
            bias_initializer=reseeded(self.bias_initializer, offset + 2),
            kernel=self.kernel,
            dtype=self.dtype_policy,
            name=f"{direction}_{index}",
            **options,
        )
