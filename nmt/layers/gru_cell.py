"""The gated recurrent unit: the equations of one step."""

from typing import NamedTuple

import tensorflow as tf


class GRUState(NamedTuple):
    """What a GRU layer remembers from one step to the next.

    Attributes:
        hidden: h, `[batch, hidden]`.
    """

    hidden: tf.Tensor


class GRUWeights(NamedTuple):
    """The weights of a GRU layer as tensors, packed z, r, candidate as in Keras.

    Attributes:
        kernel: [W_z W_r W], `[input, 3 * hidden]`.
        recurrent_kernel: [U_z U_r U], `[hidden, 3 * hidden]`.
        bias: [b_z b_r b], `[3 * hidden]`.
    """

    kernel: tf.Tensor
    recurrent_kernel: tf.Tensor
    bias: tf.Tensor


def gru_step(inputs: tf.Tensor, state: GRUState, weights: GRUWeights) -> GRUState:
    """Advances a GRU layer by one step, the reset gate before the matrix product.

    With x_t the input and h_{t-1} the state (Cho et al., 2014, arXiv:1406.1078, eqs.
    5-8; Bahdanau et al., 2015, appendix A.1.1):

        z_t = sigmoid(W_z x_t + U_z h_{t-1} + b_z)          update gate
        r_t = sigmoid(W_r x_t + U_r h_{t-1} + b_r)          reset gate
        h~_t = tanh(W x_t + U (r_t * h_{t-1}) + b)          candidate
        h_t = z_t * h_{t-1} + (1 - z_t) * h~_t              hidden, the output

    Which of the two z_t multiplies differs between papers: it is h_{t-1} in Cho et al.
    and in Keras, and h~_t in Bahdanau et al. As 1 - sigmoid(a) = sigmoid(-a), the
    latter's W_z, U_z and b_z are these with the sign turned: the same model, and the
    same distribution of first weights.

    Args:
        inputs: x_t, `[batch, input]`.
        state: h_{t-1}.
        weights: W, U and b, of the type of the inputs.

    Returns:
        h_t.

    Example:
        >>> weights = GRUWeights(tf.ones([4, 9]), tf.ones([3, 9]), tf.zeros([9]))
        >>> gru_step(tf.ones([2, 4]), GRUState(tf.zeros([2, 3])), weights).hidden.shape
        TensorShape([2, 3])
    """
    units = state.hidden.shape[-1]
    product = tf.matmul(inputs, weights.kernel) + weights.bias
    gates = product[:, : 2 * units]
    gates += tf.matmul(state.hidden, weights.recurrent_kernel[:, : 2 * units])
    update, reset = tf.split(tf.sigmoid(gates), 2, axis=-1)
    recurrent = tf.matmul(
        reset * state.hidden, weights.recurrent_kernel[:, 2 * units :]
    )
    candidate = tf.tanh(product[:, 2 * units :] + recurrent)
    return GRUState(update * state.hidden + (1 - update) * candidate)
