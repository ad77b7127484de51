"""Deep GRUs."""

import keras

from nmt.layers.gru import GRU
from nmt.layers.recurrent_stack import RecurrentStack


@keras.saving.register_keras_serializable(package="nmt")
class GRUStack(RecurrentStack):
    """Several GRU layers, each reading the hidden states of the one below.

    The equations of a layer are at `gru_step`. Dropout, residual connections, masking
    and types are as `RecurrentStack` has them, and so are the arguments.

    Call arguments:
        inputs: float, `[batch, time, input]`.
        initial_state: One `GRUState` a layer, lowest first; None: zeros.
        mask: bool, `[batch, time]`; True marks a valid step.
        training: Whether dropout applies.

    Returns:
        outputs: `[batch, time, units]`, in the compute type.
        state: One `GRUState` a layer, after the last valid step.

    Raises:
        ValueError: `num_layers` is less than 1.

    Example:
        >>> stack = GRUStack(units=8, num_layers=2)
        >>> outputs, state = stack(keras.ops.ones([2, 5, 3]))
        >>> outputs.shape, len(state), state[0].hidden.shape
        (TensorShape([2, 5, 8]), 2, TensorShape([2, 8]))
    """

    layer_type = GRU
