"""A decoder that has the same context at every position."""

from typing import Any

import keras
import tensorflow as tf

from nmt.layers import AttentionOutputs, AttentionState, BidirectionalState
from nmt.layers.sentence_rows import repeat_for_rows


@keras.saving.register_keras_serializable(package="nmt")
class FixedContext(keras.layers.Layer):
    """Puts one vector into every step of a stack: RNNencdec, without alignment.

    With c the last hidden state of the encoder's top layer, of both directions where
    there are two (Cho et al., 2014, arXiv:1406.1078, section 2.2; the baseline of
    Bahdanau et al., 2015, section 4.2):

        o_i, s_i = stack([x_i ; c], s_{i-1})

    It takes the place of an `AttentionWrapper` and has its methods; its memory is c.

    Args:
        stack: `LSTMStack` or `GRUStack`.
        context_size: Width of c.
        **kwargs: As for `keras.layers.Layer`.

    Call arguments:
        inputs: x, `[batch, target_len, input]`.
        memory: c, `[batch, context]`.
        initial_state: `AttentionState`.
        inputs_mask: bool, `[batch, target_len]`; True marks a valid step.
        training: Whether dropout applies.

    Returns:
        `AttentionOutputs`; its alignments have no source positions.
    """

    def __init__(self, stack: Any, context_size: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        self.stack = stack
        self.context_size = context_size

    @property
    def kernels_in_use(self) -> tuple[str, ...]:
        """The time loop that each layer runs, see `LSTM` and `GRU`."""
        return self.stack.kernels_in_use

    def build(self, inputs_shape: Any, memory_shape: Any = None) -> None:
        """Creates the weights for `[..., input]`."""
        # A stack that a file describes is built by Keras.
        if not self.stack.built:
            self.stack.build((None, None, inputs_shape[-1] + self.context_size))
        self.built = True

    def build_memory(self, encoding: Any) -> tf.Tensor:
        """Returns c of an `Encoding`."""
        last = encoding.state[-1]
        if isinstance(last, BidirectionalState):
            return tf.concat([last.forward.hidden, last.backward.hidden], axis=-1)
        return last.hidden

    def get_initial_state(self, memory: tf.Tensor, cell_state: Any) -> AttentionState:
        """Returns the state before the first step; see `AttentionWrapper`."""
        return AttentionState(cell_state, memory, memory[:, :0])

    def call(
        self,
        inputs: tf.Tensor,
        memory: tf.Tensor,
        initial_state: AttentionState,
        inputs_mask: tf.Tensor | None = None,
        training: bool = False,
    ) -> AttentionOutputs:
        """Runs over all steps; see the class."""
        context = tf.cast(memory, self.compute_dtype)[:, tf.newaxis]
        contexts = tf.repeat(context, tf.shape(inputs)[1], axis=1)
        inputs = tf.concat([tf.cast(inputs, self.compute_dtype), contexts], axis=-1)
        outputs, cell = self.stack(
            inputs,
            initial_state=initial_state.cell,
            mask=inputs_mask,
            training=training,
        )
        state = initial_state._replace(cell=cell)
        return AttentionOutputs(outputs, contexts, contexts[:, :, :0], state)

    def step(
        self, inputs: tf.Tensor, state: AttentionState, memory: tf.Tensor
    ) -> tuple[tf.Tensor, AttentionState]:
        """Runs one step without dropout; see `AttentionWrapper`.

        Args:
            inputs: x_i, `[rows, input]`.
            state: The state before, `[rows, ...]`.
            memory: c, `[sentences, context]`, repeated for the rows of a sentence.

        Returns:
            output: `[rows, output]`.
            state: The next state.
        """
        context = repeat_for_rows(memory, inputs)
        both = [tf.cast(each, self.compute_dtype) for each in (inputs, context)]
        output, cell = self.stack.step(tf.concat(both, axis=-1), state.cell)
        return output, state._replace(cell=cell)

    def get_config(self) -> dict[str, Any]:
        """Returns the constructor's arguments."""
        return {
            **super().get_config(),
            "stack": keras.saving.serialize_keras_object(self.stack),
            "context_size": self.context_size,
        }

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> "FixedContext":
        """Makes the layer that `get_config` describes."""
        stack = keras.saving.deserialize_keras_object(config["stack"])
        return cls(**{**config, "stack": stack})
