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

    The equations are those of `nmt.layers.lstm_cell.lstm_step`. Keras' layer multiplies
    W x_t step by step when there is no GPU; this one runs `lstm_sequence` instead where it
    can: no GPU is visible, the activations are tanh and sigmoid, no recurrent dropout, not
    unrolled, and the layer computes in float32 or float64. Everything else is left to Keras,
    cuDNN on GPUs included.

    W is `cell.kernel`, U `cell.recurrent_kernel` and b `cell.bias`, gates packed i, f, g, o.

    Masking: a masked step leaves the state as it is. With `return_sequences` it repeats the
    output of the step before, or zeros if no step was valid yet. cuDNN leaves zeros there.

    Args:
        units: Number of cells.
        *args: As for `keras.layers.LSTM`.
        kernel: The time loop to run: `auto` as told above, `quick` or `keras` always.
        **kwargs: As for `keras.layers.LSTM`.

    Call arguments:
        sequences: float, `[batch, time, input]`; batch and time may be 0.
        initial_state: (hidden, cell), each `[batch, units]`; None: zeros.
        mask: bool, `[batch, time]`; True marks a valid step.
        training: Whether dropout applies.

    Returns:
        The last output, `[batch, units]`, or with `return_sequences` all of them,
        `[batch, time, units]`; with `return_state` followed by the last hidden and cell.

    Raises:
        ValueError: unknown `kernel`, or `quick` with settings that it does not support.

    Example:
        >>> LSTM(8, return_sequences=True)(np.ones((2, 5, 3), np.float32)).shape
        TensorShape([2, 5, 8])
    """

    def __init__(
        self, units: int, *args: Any, kernel: str = "auto", **kwargs: Any
    ) -> None:
        super().__init__(units, *args, **kwargs)
        if kernel not in _KERNELS:
            raise ValueError(f"kernel must be one of {_KERNELS}, got {kernel!r}")
        if kernel == "quick" and not self._quick_is_possible():
            raise ValueError(
                "kernel='quick' needs tanh and sigmoid activations, no recurrent dropout, "
                "no unrolling and float32 or float64 computation; use kernel='auto'"
            )
        self.kernel = kernel

    @property
    def kernel_in_use(self) -> str:
        """The time loop that a call runs: `quick`, `cudnn` or `keras`."""
        if self.kernel != "auto":
            return self.kernel
        if tf.config.get_visible_devices("GPU"):
            return "cudnn" if self._cudnn_is_possible() else "keras"
        return "quick" if self._quick_is_possible() else "keras"

    def weight_tensors(self) -> LSTMWeights:
        """Returns W, U and b in the compute type; b is zero without `use_bias`."""
        kernel = tf.cast(self.cell.kernel, self.compute_dtype)
        recurrent_kernel = tf.cast(self.cell.recurrent_kernel, self.compute_dtype)
        if self.use_bias:
            bias = tf.cast(self.cell.bias, self.compute_dtype)
        else:
            bias = tf.zeros([4 * self.units], self.compute_dtype)
        return LSTMWeights(kernel, recurrent_kernel, bias)

    def call(
        self,
        sequences: tf.Tensor,
        initial_state: Any = None,
        mask: tf.Tensor | None = None,
        training: bool = False,
    ) -> Any:
        """See the class docstring."""
        if sequences.shape[1]:
            return super().call(sequences, initial_state, mask, training)
        return self._call_with_any_time(sequences, initial_state, mask, training)

    def inner_loop(
        self,
        sequences: tf.Tensor,
        initial_state: Any,
        mask: tf.Tensor | None,
        training: bool = False,
    ) -> tuple[tf.Tensor, tf.Tensor, list[tf.Tensor]]:
        """Runs the time loop; Keras' hook.

        Returns:
            The last output `[batch, units]`, the outputs `[batch, time, units]` (time is 1
            without `return_sequences`), and the last hidden and cell.
        """
        if self.kernel_in_use != "quick":
            return super().inner_loop(sequences, initial_state, mask, training)
        if training and self.dropout:
            # One mask for all steps of a sequence, as Keras has it.
            sequences *= self.cell.get_dropout_mask(sequences[:, 0])[:, tf.newaxis]
        if mask is not None:
            mask = tf.cast(mask, tf.bool)
        if self.go_backwards:
            sequences = tf.reverse(sequences, axis=[1])
            mask = None if mask is None else tf.reverse(mask, axis=[1])
        outputs, state = lstm_sequence(
            sequences, LSTMState(*initial_state), self.weight_tensors(), mask
        )
        outputs = self._at_masked_steps(outputs, mask)
        last_output = outputs[:, -1]
        if not self.return_sequences:
            outputs = last_output[:, tf.newaxis]
        return last_output, outputs, list(state)

    def get_config(self) -> dict[str, Any]:
        """Returns the constructor's arguments."""
        return {**super().get_config(), "kernel": self.kernel}

    def _at_masked_steps(self, hidden: tf.Tensor, mask: tf.Tensor | None) -> tf.Tensor:
        """Turns the states after each step into Keras' outputs.

        They differ where no step was valid yet: the state is the initial one, the output 0.
        """
        if mask is None:
            return hidden
        if not self.zero_output_for_mask:
            mask = tf.cumsum(tf.cast(mask, tf.int32), axis=1) > 0
        return tf.where(mask[:, :, tf.newaxis], hidden, tf.zeros_like(hidden))

    def _call_with_any_time(
        self,
        sequences: tf.Tensor,
        initial_state: Any,
        mask: tf.Tensor | None,
        training: bool,
    ) -> Any:
        """Calls Keras' layer, which needs a first step, with one masked step if time is 0."""
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
        return result[0][:, :time], *result[1:]

    def _quick_is_possible(self) -> bool:
        return (
            self._is_plain()
            and not self.recurrent_dropout
            and self.cell.implementation == 2
            and self.use_cudnn is not True
            and self.compute_dtype in ("float32", "float64")
        )

    def _cudnn_is_possible(self) -> bool:
        return (
            self._is_plain()
            and not self.recurrent_dropout
            and self.use_bias
            and self.use_cudnn is not False
        )

    def _is_plain(self) -> bool:
        return (
            self.activation is keras.activations.tanh
            and self.recurrent_activation is keras.activations.sigmoid
            and not self.unroll
        )
