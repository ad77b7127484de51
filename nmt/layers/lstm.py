"""`keras.layers.LSTM` with a quicker time loop on CPUs."""

from typing import Any

import keras
import tensorflow as tf

from nmt.layers.lstm_cell import LSTMState, LSTMWeights, lstm_step
from nmt.layers.lstm_kernel import LSTMKernel, lstm_sequence
from nmt.layers.quick_layer import QuickLayer, check_kernel


@keras.saving.register_keras_serializable(package="nmt")
class LSTM(QuickLayer, keras.layers.LSTM):
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

    state_type = LSTMState
    cell_kernel = LSTMKernel()

    def __init__(
        self, units: int, *args: Any, kernel: str = "auto", **kwargs: Any
    ) -> None:
        super().__init__(units, *args, **kwargs)
        check_kernel(
            kernel,
            self._allows_quick(),
            "tanh and sigmoid, no recurrent dropout, no unrolling, implementation=2 "
            "and no use_cudnn=True",
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
        return self._tensors(LSTMWeights)

    def sequence(
        self,
        inputs: tf.Tensor,
        state: LSTMState,
        mask: tf.Tensor | None = None,
        recurrent_mask: tf.Tensor | None = None,
    ) -> tuple[tf.Tensor, LSTMState]:
        """Runs the quick loop; see `QuickLayer`."""
        weights = self.weight_tensors()
        return lstm_sequence(inputs, state, weights, mask, recurrent_mask)

    def step(self, inputs: tf.Tensor, state: LSTMState) -> LSTMState:
        """Advances the state by one step; see `QuickLayer`."""
        return lstm_step(inputs, state, self.weight_tensors())

    def _allows_quick(self) -> bool:
        return (
            self._is_plain()
            and self.cell.implementation == 2
            and self.use_cudnn is not True
        )

    def _allows_cudnn(self) -> bool:
        return self._is_plain() and self.use_bias and self.use_cudnn is not False
