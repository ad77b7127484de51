"""A GRU layer over a whole sequence, quick on CPUs; see `recurrence`."""

import tensorflow as tf

from nmt.layers.cell_kernel import StepGradient, Trace
from nmt.layers.gru_cell import GRUState, GRUWeights
from nmt.layers.matrix_product import masked_product
from nmt.layers.recurrence import recurrence
from nmt.layers.recurrence_steps import time_first


class GRUKernel:
    """The arithmetic of `gru_step`: z and r read h_{t-1}, the candidate r_t * h_{t-1}.

    A trace is z_t, r_t and the candidate.
    """

    state_type = GRUState
    trace_size = 3
    direct_gates = 2

    def step(
        self,
        product: tf.Tensor,
        direct: tf.Tensor,
        visible: tf.Tensor,
        state: GRUState,
        inner_kernel: tf.Tensor,
    ) -> tuple[GRUState, Trace]:
        """See `CellKernel`."""
        units = state.hidden.shape[-1]
        gates = tf.sigmoid(product[:, : 2 * units] + direct[:, : 2 * units])
        update, reset = tf.split(gates, 2, axis=-1)
        inner = tf.matmul(reset * visible, inner_kernel)[:, :units]
        candidate = tf.tanh(product[:, 2 * units :] + inner)
        hidden = candidate + update * (state.hidden - candidate)
        return GRUState(hidden), (update, reset, candidate)

    def gradient(
        self,
        d_state: GRUState,
        trace: Trace,
        visible: tf.Tensor,
        state: GRUState,
        inner_transposed: tf.Tensor,
    ) -> StepGradient:
        """See `CellKernel`."""
        update, reset, candidate = trace
        d_hidden = d_state.hidden
        d_candidate = d_hidden * (1 - update) * (1 - candidate * candidate)
        inner = tf.matmul(d_candidate, inner_transposed)[:, : visible.shape[-1]]
        d_update = d_hidden * (state.hidden - candidate) * update * (1 - update)
        d_reset = inner * visible * reset * (1 - reset)
        direct = tf.concat([d_update, d_reset], axis=-1)
        return StepGradient(
            product=tf.concat([direct, d_candidate], axis=-1),
            direct=direct,
            visible=inner * reset,
            state=GRUState(d_hidden * update),
        )

    def inner_inputs(self, visible: tf.Tensor, trace: Trace) -> tf.Tensor:
        """Returns r_t * h_{t-1} of all steps."""
        _, reset, _ = trace
        return reset * visible


def gru_sequence(
    inputs: tf.Tensor,
    state: GRUState,
    weights: GRUWeights,
    mask: tf.Tensor | None = None,
    recurrent_mask: tf.Tensor | None = None,
) -> tuple[tf.Tensor, GRUState]:
    """Runs a GRU layer over a batch of sequences (equations: `gru_step`).

    A masked step leaves the state as it is; what the inputs hold there has no effect.

    Args:
        inputs: x, `[batch, time, input]`, time at least 1.
        state: h_0, `[batch, hidden]`.
        weights: W, U and b: tensors (no variables) of the type of the inputs.
        mask: bool, `[batch, time]`; True marks a valid step. None: all are valid.
        recurrent_mask: `[batch, hidden]`, what h_{t-1} is multiplied by in the products
            by U at every step (variational dropout). None: nothing.

    Returns:
        hidden: h_1 ... h_T, `[batch, time, hidden]`; h_t = h_{t-1} at masked steps.
        state: h_T.

    Example:
        >>> weights = GRUWeights(tf.ones([4, 9]), tf.ones([3, 9]), tf.zeros([9]))
        >>> hidden, state = gru_sequence(
        ...     tf.ones([2, 5, 4]), GRUState(tf.zeros([2, 3])), weights
        ... )
        >>> hidden.shape, state.hidden.shape
        (TensorShape([2, 5, 3]), TensorShape([2, 3]))
    """
    inputs, mask = time_first(inputs, mask)
    products = masked_product(inputs, weights.kernel, mask) + weights.bias
    outputs = recurrence(
        GRUKernel(),
        products,
        state,
        weights.recurrent_kernel,
        mask=mask,
        recurrent_mask=recurrent_mask,
    )
    return tf.transpose(outputs.hidden, [1, 0, 2]), outputs.state
