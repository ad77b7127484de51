"""What `LSTM` and `GRU` share: Keras layers whose time loop is `recurrence`."""

from typing import Any

import keras
import tensorflow as tf

from nmt.layers.cell_kernel import CellKernel

KERNELS = ("auto", "quick", "keras")


class QuickLayer(keras.layers.RNN):
    """Puts the quick time loop in the place of Keras'; to be mixed into a Keras layer.

    Attributes:
        state_type: Named tuple of the layer's states.
        cell_kernel: The arithmetic of a step, for the quick loop.
        kernel: `auto`, `quick` or `keras`.
    """

    state_type: Any
    cell_kernel: CellKernel
    kernel: str

    @property
    def kernel_in_use(self) -> str:
        """The time loop that a call runs: `quick`, `cudnn` or `keras`."""
        raise NotImplementedError

    def weight_tensors(self) -> Any:
        """Returns W, U and b in the compute type; b is zero without `use_bias`."""
        raise NotImplementedError

    def sequence(
        self,
        inputs: tf.Tensor,
        state: Any,
        mask: tf.Tensor | None = None,
        recurrent_mask: tf.Tensor | None = None,
    ) -> tuple[tf.Tensor, Any]:
        """Runs the quick loop, whatever `kernel` says, without dropout of the inputs.

        Args:
            inputs: `[batch, time, input]`, time at least 1.
            state: A `state_type`, `[batch, units]` each.
            mask: bool, `[batch, time]`; True marks a valid step.
            recurrent_mask: `[batch, units]`, what h is multiplied by in the products by
                U at every step.

        Returns:
            The hidden states, `[batch, time, units]`, and the last state.
        """
        raise NotImplementedError

    def step(self, inputs: tf.Tensor, state: Any) -> Any:
        """Advances the state by one step, without dropout, once the layer is built.

        Args:
            inputs: `[batch, input]`.
            state: A `state_type`, `[batch, units]` each.
        """
        raise NotImplementedError

    def call(
        self,
        sequences: tf.Tensor,
        initial_state: Any = None,
        mask: tf.Tensor | None = None,
        training: bool = False,
    ) -> Any:
        """Runs the layer; see the class."""
        if sequences.shape[1] or self.kernel_in_use != "quick":
            return super().call(sequences, initial_state, mask=mask, training=training)
        return self._call_with_a_step(sequences, initial_state, mask, training)

    def inner_loop(
        self,
        sequences: tf.Tensor,
        initial_state: Any,
        mask: tf.Tensor | None,
        training: bool = False,
    ) -> tuple[tf.Tensor, tf.Tensor, list[tf.Tensor]]:
        """Runs the time loop: Keras' hook, called by its `call`.

        Returns:
            last_output: `[batch, units]`.
            outputs: `[batch, time, units]`; time is 1 without `return_sequences`.
            state: The last states, each `[batch, units]`.
        """
        if self.kernel_in_use != "quick":
            return super().inner_loop(sequences, initial_state, mask, training)
        if training and self.dropout:
            # Keras drops the same inputs at every step of a sequence.
            sequences *= self.cell.get_dropout_mask(sequences[:, 0])[:, tf.newaxis]
        if mask is not None:
            mask = tf.cast(mask, tf.bool)
        if self.go_backwards:
            sequences = tf.reverse(sequences, axis=[1])
            mask = None if mask is None else tf.reverse(mask, axis=[1])
        hidden, state = self.sequence(sequences, self.state_type(*initial_state), mask)
        outputs = hidden if mask is None else self._masked_outputs(hidden, mask)
        last_output = outputs[:, -1]
        if not self.return_sequences:
            outputs = last_output[:, tf.newaxis]
        return last_output, outputs, list(state)

    def get_config(self) -> dict[str, Any]:
        """Returns the constructor's arguments."""
        return {**super().get_config(), "kernel": self.kernel}

    def _masked_outputs(self, hidden: tf.Tensor, mask: tf.Tensor) -> tf.Tensor:
        """Turns the hidden states after each step into what Keras outputs there.

        The two differ where no step was valid yet: h is the initial state there and the
        output is zero.
        """
        if not self.zero_output_for_mask:
            mask = tf.cumsum(tf.cast(mask, tf.int32), axis=1) > 0
        return tf.where(mask[:, :, tf.newaxis], hidden, tf.zeros_like(hidden))

    def _call_with_a_step(
        self,
        sequences: tf.Tensor,
        initial_state: Any,
        mask: tf.Tensor | None,
        training: bool,
    ) -> Any:
        """Adds one masked step if there is none: Keras' `call` reads the first step."""
        batch, time, _ = tf.unstack(tf.shape(sequences))
        missing = tf.maximum(1 - time, 0)
        if mask is None:
            mask = tf.ones([batch, time], tf.bool)
        mask = tf.pad(mask, [[0, 0], [0, missing]])
        sequences = tf.pad(sequences, [[0, 0], [0, missing], [0, 0]])
        result = super().call(sequences, initial_state, mask=mask, training=training)
        if not self.return_sequences:
            return result
        if not self.return_state:
            return result[:, :time]
        outputs, *state = result
        return outputs[:, :time], *state

    def _tensors(self, weights_type: Any) -> Any:
        """Returns the cell's weights in the compute type as a `weights_type`."""
        dtype, cell = self.compute_dtype, self.cell
        bias = cell.bias if self.use_bias else tf.zeros(cell.kernel.shape[1:])
        return weights_type(
            *(tf.cast(each, dtype) for each in (cell.kernel, cell.recurrent_kernel)),
            tf.cast(bias, dtype),
        )

    def _is_plain(self) -> bool:
        return (
            self.activation in (keras.activations.tanh, keras.ops.tanh, tf.tanh)
            and self.recurrent_activation
            in (keras.activations.sigmoid, keras.ops.sigmoid, tf.sigmoid)
            and not self.recurrent_dropout
            and not self.unroll
        )


def check_kernel(kernel: str, allows_quick: bool, needs: str) -> None:
    """Refuses a kernel that there is not, or that the settings rule out.

    Raises:
        ValueError: says which settings.
    """
    if kernel not in KERNELS:
        raise ValueError(f"kernel must be one of {KERNELS}, got {kernel!r}")
    if kernel == "quick" and not allows_quick:
        raise ValueError(f"kernel='quick' needs {needs}; try kernel='auto'")
