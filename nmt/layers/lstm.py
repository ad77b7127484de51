"""`keras.layers.LSTM` with a quicker time loop on CPUs."""

from typing import Any

import keras
import tensorflow as tf

from nmt.layers.lstm_cell import LSTMState, LSTMWeights
from nmt.layers.lstm_kernel import lstm_sequence

_KERNELS = ("auto", "quick", "keras")


@keras.saving.register_keras_serializable(package="nmt")
class LSTM(keras.layers.LSTM):
    """A drop-in for `keras.layers.LSTM`: same arguments, weights, states and numbers.

    Without a GPU, Keras multiplies W x_t step by step. This layer runs `lstm_sequence`
    instead, unless the settings rule it out (other activations than tanh and sigmoid,
    recurrent dropout, unrolling, `implementation=1`, `use_cudnn=True`). With a GPU it
    leaves all to Keras, which takes cuDNN where it can.

    The equations are at `lstm_step`. W is `cell.kernel`, U is `cell.recurrent_kernel`
    and b is `cell.bias`, gates packed i, f, g, o.

    Masking: a masked step leaves the state as it is. The output there repeats the step
    before, or is zero if no step was valid yet. cuDNN puts zeros there, and takes only
    masks with the padding at the end and a valid step in each row.

    Args:
        units: Number of cells.
        *args: As for `keras.layers.LSTM`.
        kernel: Which time loop runs: `auto` chooses as above, `quick` and `keras` are
            taken at their word.
        **kwargs: As for `keras.layers.LSTM`.

    Call arguments:
        sequences: float, `[batch, time, input]`. Batch and time may be 0 for the quick
            kernel.
        initial_state: (hidden, cell), each `[batch, units]`; None: zeros.
        mask: bool, `[batch, time]`; True marks a valid step.
        training: Whether dropout applies.

    Returns:
        The last output, `[batch, units]`, or with `return_sequences` all of them,
        `[batch, time, units]`. With `return_state`, the last hidden and cell follow.

    Raises:
        ValueError: `kernel` is unknown, or is `quick` and the settings rule it out.

    Example:
        >>> LSTM(8, return_sequences=True)(tf.ones([2, 5, 3])).shape
        TensorShape([2, 5, 8])
    """

    def __init__(
        self, units: int, *args: Any, kernel: str = "auto", **kwargs: Any
    ) -> None:
        super().__init__(units, *args, **kwargs)
        if kernel not in _KERNELS:
            raise ValueError(f"kernel must be one of {_KERNELS}, got {kernel!r}")
        if kernel == "quick" and not self._allows_quick():
            raise ValueError(
                "kernel='quick' needs tanh and sigmoid, no recurrent dropout, no "
                "unrolling, implementation=2 and no use_cudnn=True; try kernel='auto'"
            )
        self.kernel = kernel

    @property
    def kernel_in_use(self) -> str:
        """The time loop that a call runs: `quick`, `cudnn` or `keras`."""
        gpu = bool(tf.config.get_visible_devices("GPU"))
        if self.kernel == "quick" or (
            self.kernel == "auto" and not gpu and self._allows_quick()
        ):
            return "quick"
        return "cudnn" if gpu and self._allows_cudnn() else "keras"

    def weight_tensors(self) -> LSTMWeights:
        """Returns W, U and b in the compute type; b is zero without `use_bias`."""
        dtype = self.compute_dtype
        return LSTMWeights(
            kernel=tf.cast(self.cell.kernel, dtype),
            recurrent_kernel=tf.cast(self.cell.recurrent_kernel, dtype),
            bias=tf.cast(self.cell.bias, dtype)
            if self.use_bias
            else tf.zeros([4 * self.units], dtype),
        )

    def call(
        self,
        sequences: tf.Tensor,
        initial_state: Any = None,
        mask: tf.Tensor | None = None,
        training: bool = False,
    ) -> Any:
        """Runs the layer; see the class."""
        if sequences.shape[1] or self.kernel_in_use != "quick":
            return super().call(sequences, initial_state, mask, training)
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
            state: The last hidden and cell, each `[batch, units]`.
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
        hidden, state = lstm_sequence(
            sequences, LSTMState(*initial_state), self.weight_tensors(), mask
        )
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
        result = super().call(sequences, initial_state, mask, training)
        if not self.return_sequences:
            return result
        if not self.return_state:
            return result[:, :time]
        outputs, *state = result
        return outputs[:, :time], *state

    def _allows_quick(self) -> bool:
        return (
            self._is_plain()
            and self.cell.implementation == 2
            and self.use_cudnn is not True
        )

    def _allows_cudnn(self) -> bool:
        return self._is_plain() and self.use_bias and self.use_cudnn is not False

    def _is_plain(self) -> bool:
        return (
            self.activation in (keras.activations.tanh, keras.ops.tanh, tf.tanh)
            and self.recurrent_activation
            in (keras.activations.sigmoid, keras.ops.sigmoid, tf.sigmoid)
            and not self.recurrent_dropout
            and not self.unroll
        )
