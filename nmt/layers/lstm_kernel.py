"""An LSTM layer over a whole sequence, quick on CPUs; see `recurrence`."""

import tensorflow as tf

from nmt.layers.cell_kernel import StepGradient, Trace
from nmt.layers.lstm_cell import LSTMState, LSTMWeights, lstm_gates, next_cell
from nmt.layers.matrix_product import masked_product
from nmt.layers.recurrence import recurrence
from nmt.layers.recurrence_steps import time_first


class LSTMKernel:
    """The arithmetic of `lstm_step`; all of U reads h_{t-1}.

    A trace is i_t, f_t, g_t, o_t and tanh(c_t).
    """

    state_type = LSTMState
    trace_size = 5
    direct_gates = 4

    def step(
        self,
        product: tf.Tensor,
        direct: tf.Tensor,
        visible: tf.Tensor,
        state: LSTMState,
        inner_kernel: tf.Tensor,
    ) -> tuple[LSTMState, Trace]:
        """See `CellKernel`."""
        del visible, inner_kernel
        units = state.cell.shape[-1]
        gates = lstm_gates(product + direct[:, : 4 * units], units)
        cell = next_cell(gates, state.cell)
        tanh_cell = tf.tanh(cell)
        return LSTMState(gates.output_gate * tanh_cell, cell), (*gates, tanh_cell)

    def gradient(
        self,
        d_state: LSTMState,
        trace: Trace,
        visible: tf.Tensor,
        state: LSTMState,
        inner_transposed: tf.Tensor,
    ) -> StepGradient:
        """See `CellKernel`."""
        del visible, inner_transposed
        i, f, g, o, tanh_cell = trace
        d_cell = d_state.cell + d_state.hidden * o * (1 - tanh_cell * tanh_cell)
        parts = (
            d_cell * g * i * (1 - i),
            d_cell * state.cell * f * (1 - f),
            d_cell * i * (1 - g * g),
            d_state.hidden * tanh_cell * o * (1 - o),
        )
        gates = tf.concat(parts, axis=-1)
        before = LSTMState(tf.zeros_like(state.hidden), d_cell * f)
        return StepGradient(product=gates, direct=gates, visible=0.0, state=before)

    def inner_inputs(self, visible: tf.Tensor, trace: Trace) -> None:
        """Returns None: U has no inner columns."""
        del visible, trace


def lstm_sequence(
    inputs: tf.Tensor,
    state: LSTMState,
    weights: LSTMWeights,
    mask: tf.Tensor | None = None,
    recurrent_mask: tf.Tensor | None = None,
) -> tuple[tf.Tensor, LSTMState]:
    """Runs an LSTM layer over a batch of sequences (equations: `lstm_step`).

    A masked step leaves the state as it is; what the inputs hold there has no effect.

    Args:
        inputs: x, `[batch, time, input]`, time at least 1.
        state: (h_0, c_0), each `[batch, hidden]`.
        weights: W, U and b: tensors (no variables) of the type of the inputs.
        mask: bool, `[batch, time]`; True marks a valid step. None: all are valid.
        recurrent_mask: `[batch, hidden]`, what h_{t-1} is multiplied by in the products
            by U at every step (variational dropout). None: nothing.

    Returns:
        hidden: h_1 ... h_T, `[batch, time, hidden]`; h_t = h_{t-1} at masked steps.
        state: (h_T, c_T).

    Example:
        >>> weights = LSTMWeights(tf.ones([4, 12]), tf.ones([3, 12]), tf.zeros([12]))
        >>> start = LSTMState(hidden=tf.zeros([2, 3]), cell=tf.zeros([2, 3]))
        >>> hidden, state = lstm_sequence(tf.ones([2, 5, 4]), start, weights)
        >>> hidden.shape, state.cell.shape
        (TensorShape([2, 5, 3]), TensorShape([2, 3]))
    """
    inputs, mask = time_first(inputs, mask)
    products = masked_product(inputs, weights.kernel, mask) + weights.bias
    outputs = recurrence(
        LSTMKernel(),
        products,
        state,
        weights.recurrent_kernel,
        mask=mask,
        recurrent_mask=recurrent_mask,
    )
    return tf.transpose(outputs.hidden, [1, 0, 2]), outputs.state
