"""The LSTM cell: the equations of one step, shared by training and decoding."""

from typing import NamedTuple

import tensorflow as tf


class LSTMState(NamedTuple):
    """What an LSTM layer remembers from one step to the next.

    Attributes:
        hidden: h, `[batch, hidden]`.
        cell: c, `[batch, hidden]`.
    """

    hidden: tf.Tensor
    cell: tf.Tensor


class LSTMWeights(NamedTuple):
    """The weights of an LSTM layer as tensors, gates packed i, f, g, o as in Keras.

    Attributes:
        kernel: W = [W_i W_f W_g W_o], `[input, 4 * hidden]`.
        recurrent_kernel: U = [U_i U_f U_g U_o], `[hidden, 4 * hidden]`.
        bias: b = [b_i b_f b_g b_o], `[4 * hidden]`.
    """

    kernel: tf.Tensor
    recurrent_kernel: tf.Tensor
    bias: tf.Tensor


class LSTMGates(NamedTuple):
    """The activated gates i, f, g, o of one step, each `[batch, hidden]`."""

    input_gate: tf.Tensor
    forget_gate: tf.Tensor
    candidate: tf.Tensor
    output_gate: tf.Tensor


def lstm_step(inputs: tf.Tensor, state: LSTMState, weights: LSTMWeights) -> LSTMState:
    """Advances an LSTM layer by one step.

    With x_t the input and (h_{t-1}, c_{t-1}) the state (Graves, 2013, arXiv:1308.0850,
    eqs. 7-11, without peepholes: the parameter count of Sutskever et al., 2014, leaves
    no room for them):

        i_t = sigmoid(W_i x_t + U_i h_{t-1} + b_i)      input gate
        f_t = sigmoid(W_f x_t + U_f h_{t-1} + b_f)      forget gate
        g_t = tanh(W_g x_t + U_g h_{t-1} + b_g)         candidate
        o_t = sigmoid(W_o x_t + U_o h_{t-1} + b_o)      output gate
        c_t = f_t * c_{t-1} + i_t * g_t                 cell
        h_t = o_t * tanh(c_t)                           hidden, the output

    Args:
        inputs: x_t, `[batch, input]`.
        state: (h_{t-1}, c_{t-1}).
        weights: W, U and b, of the type of the inputs. A decoding loop may pass all
            three through `pad_columns` once, before it starts.

    Returns:
        (h_t, c_t).

    Example:
        >>> weights = LSTMWeights(tf.ones([4, 12]), tf.ones([3, 12]), tf.zeros([12]))
        >>> state = LSTMState(hidden=tf.zeros([2, 3]), cell=tf.zeros([2, 3]))
        >>> lstm_step(tf.ones([2, 4]), state, weights).hidden.shape
        TensorShape([2, 3])
    """
    preactivations = tf.matmul(inputs, weights.kernel) + weights.bias
    preactivations += tf.matmul(state.hidden, weights.recurrent_kernel)
    gates = lstm_gates(preactivations, units=state.cell.shape[-1])
    cell = next_cell(gates, state.cell)
    return LSTMState(gates.output_gate * tf.tanh(cell), cell)


def lstm_gates(preactivations: tf.Tensor, units: int) -> LSTMGates:
    """Cuts W x + U h + b into the four gates and activates them.

    Args:
        preactivations: `[batch, 4 * units]`; more columns, as from weights with
            `pad_columns`, are ignored.
        units: Width of a gate.

    Returns:
        i, f, o through the sigmoid and g through tanh.
    """
    padding = preactivations.shape[-1] - 4 * units
    sizes = [units] * 4 + ([padding] if padding else [])
    i, f, g, o = tf.split(preactivations, sizes, axis=-1)[:4]
    return LSTMGates(tf.sigmoid(i), tf.sigmoid(f), tf.tanh(g), tf.sigmoid(o))


def next_cell(gates: LSTMGates, cell: tf.Tensor) -> tf.Tensor:
    """Returns c_t = f_t * c_{t-1} + i_t * g_t, `[batch, hidden]`."""
    return gates.forget_gate * cell + gates.input_gate * gates.candidate
