"""`keras.layers.GRU`, reset gate first, with a quicker time loop on CPUs."""

from typing import Any

import keras
import tensorflow as tf

from nmt.layers.gru_cell import GRUState, GRUWeights, gru_step
from nmt.layers.gru_kernel import GRUKernel, gru_sequence
from nmt.layers.quick_layer import QuickLayer, check_kernel


@keras.saving.register_keras_serializable(package="nmt")
class GRU(QuickLayer, keras.layers.GRU):
    """A drop-in for `keras.layers.GRU(reset_after=False)`: the GRU of 2014.

    Same arguments, weights, states and numbers, but that `reset_after` is False unless
    asked for: the papers' reset gate acts before the product by U, which cuDNN does not
    do. This layer runs `gru_sequence` on every device, unless the settings rule it out
    (`reset_after`, other activations than tanh and sigmoid, recurrent dropout,
    unrolling, `implementation=1`).

    The equations are at `gru_step`. W is `cell.kernel`, U is `cell.recurrent_kernel`
    and b is `cell.bias`, packed z, r, candidate.

    Masking: a masked step leaves the state as it is. The output there repeats the step
    before, or is zero if no step was valid yet.

    Args:
        units: Width of the state.
        *args: As for `keras.layers.GRU`.
        kernel: Which time loop runs: `auto` chooses as above, `quick` and `keras` are
            taken at their word.
        reset_after: As for `keras.layers.GRU`; True is another model.
        **kwargs: As for `keras.layers.GRU`.

    Call arguments:
        sequences: float, `[batch, time, input]`.
        initial_state: hidden, `[batch, units]`; None: zeros.
        mask: bool, `[batch, time]`; True marks a valid step.
        training: Whether dropout applies.

    Returns:
        The last output, `[batch, units]`, or with `return_sequences` all of them,
        `[batch, time, units]`. With `return_state`, the last hidden follows.

    Raises:
        ValueError: `kernel` is unknown, or is `quick` and the settings rule it out.

    Example:
        >>> GRU(8, return_sequences=True)(tf.ones([2, 5, 3])).shape
        TensorShape([2, 5, 8])
    """

    state_type = GRUState
    cell_kernel = GRUKernel()

    def __init__(
        self,
        units: int,
        *args: Any,
        kernel: str = "auto",
        reset_after: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(units, *args, reset_after=reset_after, **kwargs)
        check_kernel(
            kernel,
            self._allows_quick(),
            "reset_after=False, tanh and sigmoid, no recurrent dropout, no unrolling "
            "and implementation=2",
        )
        self.kernel = kernel

    @property
    def kernel_in_use(self) -> str:
        """The time loop that a call runs: `quick` or `keras`."""
        return "quick" if self.kernel != "keras" and self._allows_quick() else "keras"

    def weight_tensors(self) -> GRUWeights:
        """Returns W, U and b in the compute type; b is zero without `use_bias`."""
        return self._tensors(GRUWeights)

    def sequence(
        self,
        inputs: tf.Tensor,
        state: GRUState,
        mask: tf.Tensor | None = None,
        recurrent_mask: tf.Tensor | None = None,
    ) -> tuple[tf.Tensor, GRUState]:
        """Runs the quick loop; see `QuickLayer`."""
        weights = self.weight_tensors()
        return gru_sequence(inputs, state, weights, mask, recurrent_mask)

    def step(self, inputs: tf.Tensor, state: GRUState) -> GRUState:
        """Advances the state by one step; see `QuickLayer`."""
        return gru_step(inputs, state, self.weight_tensors())

    def _allows_quick(self) -> bool:
        return (
            self._is_plain() and not self.reset_after and self.cell.implementation == 2
        )
