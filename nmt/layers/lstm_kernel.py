"""The quick CPU kernel: an LSTM layer over a whole sequence with its own backward pass.

Keras multiplies W x_t inside its time loop and leaves the backward pass to automatic
differentiation, which transposes U and adds to dW at every step. Here all that is not
recurrent is done for all steps at once, outside the loops:

* forward: W x_t + b, before the loop;
* backward: U transposed, before the loop; dx, dW, dU and db, after it.

One product by U (forward) or its transpose (backward) a step remains. The backward pass
is made of TensorFlow operations, so that second derivatives are to be had too.
"""

from typing import Any, NamedTuple

import tensorflow as tf

from nmt.layers.lstm_cell import (
    LSTMGates,
    LSTMState,
    LSTMWeights,
    lstm_gates,
    next_cell,
    pad_columns,
)


class _Trace(NamedTuple):
    """What the backward pass needs to know of all steps, `[time, batch, hidden]` each.

    Attributes:
        gates: i_t, f_t, g_t, o_t.
        tanh_cell: tanh(c_t), also where the mask then keeps c_{t-1}.
        hidden: h_t.
        cell: c_t.
    """

    gates: LSTMGates
    tanh_cell: tf.Tensor
    hidden: tf.Tensor
    cell: tf.Tensor


def lstm_sequence(
    inputs: tf.Tensor,
    state: LSTMState,
    weights: LSTMWeights,
    mask: tf.Tensor | None = None,
) -> tuple[tf.Tensor, LSTMState]:
    """Runs an LSTM layer over a batch of sequences (equations: `lstm_step`).

    A masked step leaves the state as it is; what the inputs hold there has no effect.

    Args:
        inputs: x, `[batch, time, input]`, time at least 1.
        state: (h_0, c_0), each `[batch, hidden]`.
        weights: W, U and b: tensors (no variables) of the type of the inputs.
        mask: bool, `[batch, time]`; True marks a valid step. None: all are valid.

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
    inputs = tf.transpose(inputs, [1, 0, 2])
    if mask is None:
        mask = tf.ones(tf.shape(inputs)[:2], tf.bool)
    else:
        mask = tf.transpose(mask)
    hidden, cell = _time_major(inputs, *state, *weights, mask[:, :, tf.newaxis])
    return tf.transpose(hidden, [1, 0, 2]), LSTMState(hidden[-1], cell)


@tf.custom_gradient
def _time_major(
    inputs: tf.Tensor,
    hidden: tf.Tensor,
    cell: tf.Tensor,
    kernel: tf.Tensor,
    recurrent_kernel: tf.Tensor,
    bias: tf.Tensor,
    mask: tf.Tensor,
) -> tuple[tuple[tf.Tensor, tf.Tensor], Any]:
    """Returns h_1 ... h_T, `[time, batch, hidden]`, with c_T; and their gradient."""
    weights = LSTMWeights(kernel, recurrent_kernel, bias)
    start = LSTMState(hidden, cell)
    trace = _forward_loop(_input_product(inputs, weights), start, weights, mask)

    def gradient(d_hidden: tf.Tensor, d_cell: tf.Tensor) -> tuple[Any, ...]:
        d_preactivations, d_start = _backward_loop(
            d_hidden, d_cell, trace, start, recurrent_kernel, mask
        )
        d_inputs, d_weights = _outside_gradients(
            d_preactivations, inputs, _previous(trace.hidden, hidden), kernel
        )
        return d_inputs, *d_start, *d_weights, None

    return (trace.hidden, trace.cell[-1]), gradient


def _input_product(inputs: tf.Tensor, weights: LSTMWeights) -> tf.Tensor:
    """Returns W x_t + b of all steps, `[time, batch, 4 * hidden (+ padding)]`."""
    time, batch, _ = tf.unstack(tf.shape(inputs))
    rows = tf.reshape(inputs, [-1, inputs.shape[-1]])
    product = tf.matmul(rows, pad_columns(weights.kernel)) + pad_columns(weights.bias)
    return tf.reshape(product, [time, batch, product.shape[-1]])


def _forward_loop(
    input_product: tf.Tensor, start: LSTMState, weights: LSTMWeights, mask: tf.Tensor
) -> _Trace:
    """Runs the steps first to last; `input_product` is W x_t + b of all of them."""
    recurrent_kernel = pad_columns(weights.recurrent_kernel)
    units = weights.recurrent_kernel.shape[0]
    time = tf.shape(input_product)[0]
    read_product, read_mask = _reader(input_product), _reader(mask)

    def step(t: tf.Tensor, state: LSTMState, written: Any) -> tuple[Any, ...]:
        recurrent = tf.matmul(state.hidden, recurrent_kernel)
        gates = lstm_gates(read_product(t) + recurrent, units)
        cell = next_cell(gates, state.cell)
        tanh_cell = tf.tanh(cell)
        valid = read_mask(t)
        hidden = tf.where(valid, gates.output_gate * tanh_cell, state.hidden)
        cell = tf.where(valid, cell, state.cell)
        values = (*gates, tanh_cell, hidden, cell)
        written = tuple(
            array.write(t, value) for array, value in zip(written, values, strict=True)
        )
        return t + 1, LSTMState(hidden, cell), written

    arrays = tuple(_array(time, start.cell) for _ in range(7))
    _, _, written = tf.while_loop(
        lambda t, *_: t < time, step, (0, start, arrays), maximum_iterations=time
    )
    *gates, tanh_cell, hidden, cell = (array.stack() for array in written)
    return _Trace(LSTMGates(*gates), tanh_cell, hidden, cell)


def _backward_loop(
    d_outputs: tf.Tensor,
    d_cell: tf.Tensor,
    trace: _Trace,
    start: LSTMState,
    recurrent_kernel: tf.Tensor,
    mask: tf.Tensor,
) -> tuple[tf.Tensor, LSTMState]:
    """Backpropagates through time, from the last step to the first.

    Args:
        d_outputs: Gradient of all hidden states, `[time, batch, hidden]`.
        d_cell: Gradient of the last cell.
        trace: The forward pass.
        start: (h_0, c_0).
        recurrent_kernel: U.
        mask: bool, `[time, batch, 1]`.

    Returns:
        d_preactivations: Gradient of W x_t + U h_{t-1} + b of all steps,
            `[time, batch, 4 * hidden]`; zero at masked steps.
        d_start: Gradient of (h_0, c_0).
    """
    units = recurrent_kernel.shape[0]
    transposed = pad_columns(tf.transpose(recurrent_kernel))
    time = tf.shape(d_outputs)[0]
    previous_cells = _previous(trace.cell, start.cell)
    read_step = [
        _reader(value)
        for value in (mask, d_outputs, *trace.gates, trace.tanh_cell, previous_cells)
    ]

    def step(t: tf.Tensor, d_state: LSTMState, written: Any) -> tuple[Any, ...]:
        valid, d_output, *values, tanh_cell, previous = (read(t) for read in read_step)
        d_hidden = d_state.hidden + d_output
        d_new, d_previous = _step_gradient(
            LSTMState(d_hidden, d_state.cell), LSTMGates(*values), tanh_cell, previous
        )
        d_new = tf.where(valid, d_new, tf.zeros_like(d_new))
        d_recurrent = tf.matmul(d_new, transposed)[:, :units]
        d_hidden = tf.where(valid, d_recurrent, d_hidden)
        d_cell = tf.where(valid, d_previous, d_state.cell)
        return t - 1, LSTMState(d_hidden, d_cell), written.write(t, d_new)

    first = LSTMState(tf.zeros_like(start.hidden), d_cell)
    array = _array(time, start.cell, 4 * units)
    _, d_start, written = tf.while_loop(
        lambda t, *_: t >= 0, step, (time - 1, first, array), maximum_iterations=time
    )
    return written.stack(), d_start


def _step_gradient(
    d_state: LSTMState, gates: LSTMGates, tanh_cell: tf.Tensor, previous: tf.Tensor
) -> tuple[tf.Tensor, tf.Tensor]:
    """Differentiates the gate arithmetic of one step.

    Args:
        d_state: Gradients of h_t and c_t.
        gates: i, f, g, o.
        tanh_cell: tanh(c_t).
        previous: c_{t-1}.

    Returns:
        d_preactivations: Gradient of W x_t + U h_{t-1} + b, `[batch, 4 * hidden]`.
        d_previous: Gradient of c_{t-1}.
    """
    i, f, g, o = gates
    d_cell = d_state.cell + d_state.hidden * o * (1 - tanh_cell * tanh_cell)
    d_preactivations = (
        d_cell * g * i * (1 - i),
        d_cell * previous * f * (1 - f),
        d_cell * i * (1 - g * g),
        d_state.hidden * tanh_cell * o * (1 - o),
    )
    return tf.concat(d_preactivations, axis=-1), d_cell * f


def _outside_gradients(
    d_preactivations: tf.Tensor,
    inputs: tf.Tensor,
    previous_hidden: tf.Tensor,
    kernel: tf.Tensor,
) -> tuple[tf.Tensor, LSTMWeights]:
    """Returns the gradients of the inputs and of the weights, all steps at once."""
    rows = tf.reshape(d_preactivations, [-1, d_preactivations.shape[-1]])
    input_rows = tf.reshape(inputs, [-1, inputs.shape[-1]])
    hidden_rows = tf.reshape(previous_hidden, [-1, previous_hidden.shape[-1]])
    d_inputs = tf.reshape(tf.matmul(rows, tf.transpose(kernel)), tf.shape(inputs))
    return d_inputs, LSTMWeights(
        kernel=tf.matmul(input_rows, rows, transpose_a=True),
        recurrent_kernel=tf.matmul(hidden_rows, rows, transpose_a=True),
        bias=tf.reduce_sum(rows, axis=0),
    )


def _previous(states: tf.Tensor, start: tf.Tensor) -> tf.Tensor:
    """Shifts `[time, batch, hidden]` one step later, beginning with `start`."""
    return tf.concat([start[tf.newaxis], states[:-1]], axis=0)


def _reader(values: tf.Tensor) -> Any:
    """Returns the function t -> values[t] for a loop over the first axis."""
    array = tf.TensorArray(
        values.dtype, tf.shape(values)[0], element_shape=values.shape[1:]
    )
    return array.unstack(values).read


def _array(
    size: tf.Tensor, like: tf.Tensor, width: int | None = None
) -> tf.TensorArray:
    """Returns an empty array of `size` elements `[batch, width]` of `like`'s type."""
    shape = [like.shape[0], width or like.shape[1]]
    return tf.TensorArray(like.dtype, size, element_shape=shape)
