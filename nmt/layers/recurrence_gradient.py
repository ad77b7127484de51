"""The backward pass of `recurrence`: backpropagation through time, by hand.

One product by the transposed U a step remains in the loop; the weights' gradients are
one product each, after it.
"""

from typing import Any, NamedTuple

import tensorflow as tf

from nmt.layers.attention_step import (
    AttentionTensors,
    annotations_gradient,
    attend_gradient,
)
from nmt.layers.cell_kernel import State
from nmt.layers.recurrence_steps import (
    Loop,
    OutputGradients,
    Steps,
    new_array,
    reader,
    readers,
    transposed,
    write_all,
)


class _Sums(NamedTuple):
    """Gradients that are added up over the steps; see `AttentionGradients`."""

    energies: tf.Tensor
    squares: tf.Tensor
    energy_vector: tf.Tensor


class _Rows(NamedTuple):
    """Gradients of all steps, `[time, batch, ...]` each.

    Attributes:
        products: Of W x_t + b and the context's part.
        direct: Of [W_a U_direct] h_{t-1}.
        contexts: Of c_t; None without attention.
    """

    products: tf.Tensor
    direct: tf.Tensor
    contexts: tf.Tensor | None = None


def gradient_of(loop: Loop, steps: Steps, given: OutputGradients) -> tuple[Any, ...]:
    """Returns the gradients of the products, U, the start and the attention's tensors.

    Args:
        loop: What the forward pass was given.
        steps: What it wrote down.
        given: Gradients of what it returned.
    """
    previous = loop.cell.state_type(
        *(
            tf.concat([first[tf.newaxis], values[:-1]], axis=0)
            for first, values in zip(loop.start, steps.states, strict=True)
        )
    )
    d_start, sums, rows = _backward(loop, steps, previous, given)
    visible = loop.visible(previous.hidden)
    d_direct = _kernel_gradient(visible, rows.direct)
    d_kernel = d_direct[:, loop.query_size :]
    inner = loop.cell.inner_inputs(visible, steps.trace)
    if inner is not None:
        d_inner = rows.products[:, :, d_kernel.shape[1] :]
        d_kernel = tf.concat([d_kernel, _kernel_gradient(inner, d_inner)], axis=1)
    if loop.attention is None:
        return rows.products, d_kernel, *d_start
    _, contexts, alignments = steps.attended
    d_keys = sums.energies[:, :, tf.newaxis] - sums.squares
    d_attention = AttentionTensors(
        annotations=annotations_gradient(alignments, rows.contexts),
        keys=loop.attention.energy_vector * d_keys,
        mask=None,
        query_kernel=d_direct[:, : loop.query_size],
        energy_vector=sums.energy_vector,
        context_kernel=_kernel_gradient(contexts, rows.products),
    )
    return rows.products, d_kernel, *d_start, *d_attention


def _backward(
    loop: Loop, steps: Steps, previous: State, given: OutputGradients
) -> tuple[State, Any, _Rows]:
    """Runs from the last step to the first."""
    cell, units = loop.cell, loop.start.hidden.shape[-1]
    direct_transposed, inner_transposed = map(transposed, loop.kernels())
    read_given, read_trace = reader(given.hidden), readers(steps.trace)
    read_previous = readers(previous)
    read_mask = None if loop.mask is None else reader(loop.mask)
    attend_back = None if loop.attention is None else _attention(loop, steps, given)

    def step(t: tf.Tensor, d_state: State, sums: Any, written: Any) -> tuple[Any, ...]:
        d_state = d_state._replace(hidden=d_state.hidden + read_given(t))
        d_kept = None
        if read_mask is not None:
            valid = read_mask(t)
            d_kept = [tf.where(valid, tf.zeros_like(each), each) for each in d_state]
            d_state = cell.state_type(
                *(tf.where(valid, each, tf.zeros_like(each)) for each in d_state)
            )
        state = cell.state_type(*read_previous(t))
        visible = loop.visible(state.hidden)
        found = cell.gradient(d_state, read_trace(t), visible, state, inner_transposed)
        rows = _Rows(found.product, found.direct)
        if attend_back is not None:
            rows, sums = attend_back(t, rows, sums)
        d_visible = tf.matmul(rows.direct, direct_transposed)[:, :units] + found.visible
        hidden = found.state.hidden + loop.visible(d_visible)
        d_previous = found.state._replace(hidden=hidden)
        if d_kept is not None:
            d_previous = cell.state_type(*map(tf.add, d_previous, d_kept))
        values = [each for each in rows if each is not None]
        return t - 1, d_previous, sums, write_all(written, t, values)

    time = tf.shape(given.hidden)[0]
    sums, arrays = _start(loop, time)
    _, d_start, sums, written = tf.while_loop(
        lambda t, *_: t >= 0,
        step,
        (time - 1, given.last, sums, arrays),
        maximum_iterations=time,
    )
    return d_start, sums, _Rows(*(each.stack() for each in written))


def _attention(loop: Loop, steps: Steps, given: OutputGradients) -> Any:
    """Returns the attention's part of a step of the backward loop."""
    attention = loop.attention
    assert attention is not None
    read_given, read_attended = readers(given.attended), readers(steps.attended)
    context_transposed = transposed(attention.context_kernel)
    size = attention.annotations.shape[-1]

    def back(t: tf.Tensor, rows: _Rows, sums: _Sums) -> tuple[_Rows, _Sums]:
        d_context, d_alignments = read_given(t)
        query, _, alignments = read_attended(t)
        d_context += tf.matmul(rows.products, context_transposed)[:, :size]
        found = attend_gradient(query, alignments, attention, d_context, d_alignments)
        sums = _Sums(*map(tf.add, sums, found[1:]))
        direct = tf.concat([found.query, rows.direct], axis=1)
        return _Rows(rows.products, direct, d_context), sums

    return back


def _start(loop: Loop, time: tf.Tensor) -> tuple[Any, tuple[tf.TensorArray, ...]]:
    """Returns sums of zero, and empty arrays for the rows."""
    hidden, attention = loop.start.hidden, loop.attention
    gates = loop.recurrent_kernel.shape[1]
    direct = loop.cell.direct_gates * hidden.shape[-1] + loop.query_size
    widths = [gates, direct]
    sums: Any = ()
    if attention is not None:
        energies = attention.keys[:, :, 0]
        widths.append(attention.annotations.shape[-1])
        like = _Sums(energies, attention.keys, attention.energy_vector)
        sums = _Sums(*map(tf.zeros_like, like))
    return sums, tuple(new_array(time, hidden, width) for width in widths)


def _kernel_gradient(inputs: tf.Tensor, d_outputs: tf.Tensor) -> tf.Tensor:
    """Returns the gradient of a weight matrix from all steps, as one product."""
    rows = tf.reshape(inputs, [-1, inputs.shape[-1]])
    d_rows = tf.reshape(d_outputs, [-1, d_outputs.shape[-1]])
    return tf.matmul(rows, d_rows, transpose_a=True)
