"""The deep LSTM of the LSTM paper."""

from typing import Any

import keras

from nmt.layers.lstm import LSTM
from nmt.layers.recurrent_stack import RecurrentStack


@keras.saving.register_keras_serializable(package="nmt")
class LSTMStack(RecurrentStack):
    """Several LSTM layers, each reading the hidden states of the one below.

    With inputs h^0_t and L layers (Sutskever et al., 2014, section 3.4):

        (h^l_t, c^l_t) = LSTM_l(dropout(h^{l-1}_t), h^l_{t-1}, c^l_{t-1})

    for l = 1 ... L, and outputs h^L_t. LSTM_l is `recurrent_layers[l - 1]`; its
    equations are at `lstm_step`. Dropout, residual connections, masking and types are
    as `RecurrentStack` has them; the paper has no dropout and no such connections.

    Args:
        *args: As for `RecurrentStack`.
        unit_forget_bias: Whether the forget gates' bias starts at 1; the paper draws it
            like every other weight.
        **kwargs: As for `RecurrentStack`.

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
        >>> outputs, state = stack(keras.ops.ones([2, 5, 3]))
        >>> outputs.shape, len(state), state[0].cell.shape
        (TensorShape([2, 5, 8]), 2, TensorShape([2, 8]))
    """

    layer_type = LSTM

    def __init__(
        self, *args: Any, unit_forget_bias: bool = True, **kwargs: Any
    ) -> None:
        self.unit_forget_bias = unit_forget_bias
        super().__init__(*args, **kwargs)

    def get_config(self) -> dict[str, Any]:
        """Returns the constructor's arguments."""
        return {**super().get_config(), "unit_forget_bias": self.unit_forget_bias}

    def _layer_options(self) -> dict[str, Any]:
        return {"unit_forget_bias": self.unit_forget_bias}
