"""The quick time loop of all recurrent layers.

Keras leaves the backward pass of a time loop to automatic differentiation, which
transposes U and adds to dU at every step. Here all that is not recurrent is done for
all steps at once, outside the loops: W x_t + b before them (by the caller), U
transposed before the backward loop (`recurrence_gradient`), and the gradients of the
weights after it.

The loop may attend to a memory at every step, as the decoder of Bahdanau et al. (2015)
does, with the state before the step as the query: `attention_step` has the equations.

The backward pass is made of TensorFlow operations, so that second derivatives are to be
had too.
"""

from typing import Any, NamedTuple

import tensorflow as tf

from nmt.layers.attention_step import AttentionTensors, attend, wide
from nmt.layers.cell_kernel import CellKernel, State
from nmt.layers.matrix_product import pad_columns
from nmt.layers.recurrence_gradient import gradient_of
from nmt.layers.recurrence_steps import (
    Loop,
    OutputGradients,
    Steps,
    new_array,
    reader,
    write_all,
)


class Outputs(NamedTuple):
    """What a loop returns, time first.

    Attributes:
        hidden: h_1 ... h_T, `[time, batch, hidden]`; h_t = h_{t-1} at masked steps.
        state: The state after the last step.
        contexts: c_1 ... c_T, `[time, batch, annotation]`; None without attention.
        alignments: alpha_1 ... alpha_T, float32, `[time, batch, source_len]`; likewise.
    """

    hidden: tf.Tensor
    state: State
    contexts: tf.Tensor | None
    alignments: tf.Tensor | None


def recurrence(
    cell: CellKernel,
    products: tf.Tensor,
    start: State,
    recurrent_kernel: tf.Tensor,
    mask: tf.Tensor | None = None,
    recurrent_mask: tf.Tensor | None = None,
    attention: AttentionTensors | None = None,
) -> Outputs:
    """Runs a cell over a batch of sequences, time first.

    A masked step leaves the state as it is; what the inputs hold there has no effect.

    Args:
        cell: The arithmetic of a step.
        products: W x_t + b of all steps, without the context's part,
            `[time, batch, gates * hidden]`, time at least 1.
        start: The state before the first step.
        recurrent_kernel: U, `[hidden, gates * hidden]`: a tensor, no variable.
        mask: bool, `[time, batch]`; True marks a valid step. None: all are valid.
        recurrent_mask: `[batch, hidden]`, what h is multiplied by wherever a step reads
            it (variational dropout), the query included. None: nothing.
        attention: What the steps attend to: tensors, no variables. None: nothing.
    """
    parts = len(start)

    @tf.custom_gradient
    def run(*tensors: tf.Tensor) -> tuple[tuple[tf.Tensor, ...], Any]:
        products, kernel, *rest = tensors
        loop = Loop(
            cell,
            cell.state_type(*rest[:parts]),
            kernel,
            mask if mask is None else mask[:, :, tf.newaxis],
            recurrent_mask,
            AttentionTensors(*rest[parts:]) if attention else None,
        )
        steps, last = run_steps(loop, products)

        def gradient(d_hidden: tf.Tensor, *d_rest: tf.Tensor) -> tuple[Any, ...]:
            d_last = cell.state_type(*d_rest[:parts])
            return gradient_of(
                loop, steps, OutputGradients(d_hidden, d_last, d_rest[parts:])
            )

        return (steps.states[0], *last, *steps.attended[1:]), gradient

    hidden, *rest = run(products, recurrent_kernel, *start, *(attention or ()))
    contexts, alignments = rest[parts:] or (None, None)
    return Outputs(hidden, cell.state_type(*rest[:parts]), contexts, alignments)


def run_steps(loop: Loop, products: tf.Tensor) -> tuple[Steps, State]:
    """Runs the steps first to last; returns them and the last state."""
    cell, attention = loop.cell, loop.attention
    direct_kernel, inner_kernel = (pad_columns(kernel) for kernel in loop.kernels())
    read_product = reader(products)
    read_mask = None if loop.mask is None else reader(loop.mask)
    if attention is not None:
        context_kernel = pad_columns(attention.context_kernel)

    def step(t: tf.Tensor, state: State, written: Any) -> tuple[Any, ...]:
        visible = loop.visible(state.hidden)
        direct, product = tf.matmul(visible, direct_kernel), read_product(t)
        attended: Any = ()
        if attention is not None:
            query, direct = direct[:, : loop.query_size], direct[:, loop.query_size :]
            context, alignments = attend(query, attention)
            attended = query, context, alignments
            from_context = tf.matmul(context, context_kernel)
            product += from_context[:, : product.shape[-1]]
        new, trace = cell.step(product, direct, visible, state, inner_kernel)
        if read_mask is not None:
            valid, pairs = read_mask(t), zip(new, state, strict=True)
            new = cell.state_type(*(tf.where(valid, *pair) for pair in pairs))
        return t + 1, new, write_all(written, t, (*new, *trace, *attended))

    time = tf.shape(products)[0]
    _, last, written = tf.while_loop(
        lambda t, *_: t < time,
        step,
        (0, loop.start, _arrays(loop, time)),
        maximum_iterations=time,
    )
    values = [array.stack() for array in written]
    parts, end = len(loop.start), len(loop.start) + cell.trace_size
    states = cell.state_type(*values[:parts])
    return Steps(states, tuple(values[parts:end]), values[end:]), last


def _arrays(loop: Loop, time: tf.Tensor) -> tuple[tf.TensorArray, ...]:
    hidden, attention = loop.start.hidden, loop.attention
    arrays = [
        new_array(time, hidden) for _ in range(len(loop.start) + loop.cell.trace_size)
    ]
    if attention is not None:
        keys, annotations = attention.keys, attention.annotations
        arrays += [
            new_array(time, hidden, loop.query_size),
            new_array(time, hidden, annotations.shape[-1]),
            new_array(time, tf.zeros_like(keys[:, :, 0], wide(keys.dtype))),
        ]
    return tuple(arrays)
