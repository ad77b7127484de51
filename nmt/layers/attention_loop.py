"""The two time loops of an attention wrapper."""

from typing import Any

import tensorflow as tf

from nmt.layers.attention_cell import AttentionCell
from nmt.layers.attention_memory import AttentionMemory
from nmt.layers.attention_state import AttentionOutputs, AttentionState
from nmt.layers.matrix_product import product
from nmt.layers.recurrence import recurrence
from nmt.layers.recurrence_steps import reader


def plain_loop(
    wrapper: Any,
    inputs: tf.Tensor,
    memory: AttentionMemory,
    start: AttentionState,
    mask: tf.Tensor | None,
    training: bool,
) -> AttentionOutputs:
    """Calls the wrapper's `advance` at every step; differentiated automatically.

    Args:
        wrapper: The `AttentionWrapper`.
        inputs: `[batch, target_len, input]`.
        memory: What is attended to.
        start: The state before the first step.
        mask: bool, `[batch, target_len]`; True marks a valid step.
        training: Whether dropout applies.
    """
    inner, time = AttentionCell(wrapper.cell), tf.shape(inputs)[1]
    masks = inner.draw_masks(inputs[:, 0], start.cell, time, training)
    read_inputs = reader(tf.transpose(inputs, [1, 0, 2]))
    read_mask = None
    if mask is not None:
        read_mask = reader(tf.transpose(tf.cast(mask, tf.bool)))

    def step(t: tf.Tensor, state: AttentionState, written: Any) -> tuple[Any, ...]:
        step_masks = None if masks is None else masks.at(t)
        output, context, new = wrapper.advance(
            read_inputs(t), state, memory, step_masks, training
        )
        values = output, context, new.alignments
        if read_mask is not None:
            valid = read_mask(t)[:, tf.newaxis]
            new = tf.nest.map_structure(
                lambda after, before: tf.where(valid, after, before), new, state
            )
        written = tuple(
            array.write(t, value) for array, value in zip(written, values, strict=True)
        )
        return t + 1, new, written

    arrays = tuple(
        tf.TensorArray(dtype, time)
        for dtype in (inputs.dtype, inputs.dtype, start.alignments.dtype)
    )
    _, state, written = tf.while_loop(
        lambda t, *_: t < time, step, (0, start, arrays), maximum_iterations=time
    )
    inner.forget_masks(start.cell)
    outputs, contexts, alignments = (
        tf.transpose(array.stack(), [1, 0, 2]) for array in written
    )
    return AttentionOutputs(outputs, contexts, alignments, state)


def quick_loop(
    wrapper: Any,
    inputs: tf.Tensor,
    memory: AttentionMemory,
    start: AttentionState,
    mask: tf.Tensor | None,
    training: bool,
) -> AttentionOutputs:
    """Runs `recurrence`, whose backward pass is written by hand, to the same numbers.

    What does not depend on the state, W x_i for the inputs' rows of W, is computed for
    all steps at once. Arguments as for `plain_loop`.
    """
    inner = AttentionCell(wrapper.cell)
    quick = inner.quick()
    assert quick is not None
    masks = inner.draw_masks(inputs[:, 0], start.cell, tf.shape(inputs)[1], training)
    dtype, cell = wrapper.compute_dtype, quick.weights
    kernel, recurrent_kernel, bias = (
        tf.cast(each, dtype) for each in (cell.kernel, cell.recurrent_kernel, cell.bias)
    )
    size = inputs.shape[-1]
    products = product(tf.transpose(inputs, [1, 0, 2]), kernel[:size]) + bias
    found = recurrence(
        quick.kernel,
        products,
        inner.quick_state(quick, start.cell, dtype),
        recurrent_kernel,
        mask=None if mask is None else tf.transpose(tf.cast(mask, tf.bool)),
        recurrent_mask=masks.recurrent[0] if masks and masks.recurrent else None,
        attention=wrapper.attention.tensors(memory, kernel[size:]),
    )
    outputs, contexts, alignments = (
        tf.transpose(each, [1, 0, 2])
        for each in (found.hidden, found.contexts, found.alignments)
    )
    last = inner.own_state(found.state, start.cell)
    return AttentionOutputs.of_steps(
        outputs, contexts, alignments, last, contexts, start, mask
    )
