"""The ways in which an attention wrapper runs over all steps."""

from typing import Any

import tensorflow as tf

from nmt.layers.attention_cell import AttentionCell, in_form_of
from nmt.layers.attention_memory import AttentionMemory
from nmt.layers.attention_state import AttentionOutputs, AttentionState
from nmt.layers.matrix_product import masked_product
from nmt.layers.recurrence import recurrence
from nmt.layers.recurrence_steps import new_array, reader, time_first, write_all
from nmt.layers.stack_parts import cast_state


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
    masks = inner.draw_masks(
        inputs.shape[-1] + wrapper.fed_size, start.cell, time, training
    )
    steps, step_mask = time_first(inputs, mask)
    read_inputs = reader(steps)
    read_mask = None if step_mask is None else reader(step_mask)

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
        return t + 1, new, write_all(written, t, values)

    output_size = wrapper.attention_size or inner.output_size
    arrays = (
        new_array(time, start.attention, output_size),
        new_array(time, start.attention, memory.annotations.shape[-1]),
        new_array(time, start.alignments),
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
    size, time = inputs.shape[-1], tf.shape(inputs)[1]
    masks = inner.draw_masks(size + wrapper.fed_size, start.cell, time, training)
    dtype, cell = wrapper.compute_dtype, quick.weights
    kernel, recurrent_kernel, bias = (
        tf.cast(each, dtype) for each in (cell.kernel, cell.recurrent_kernel, cell.bias)
    )
    state = quick.kernel.state_type(*tf.nest.flatten(start.cell))
    steps, step_mask = time_first(inputs, mask)
    found = recurrence(
        quick.kernel,
        masked_product(steps, kernel[:size], step_mask) + bias,
        cast_state(state, dtype),
        recurrent_kernel,
        mask=step_mask,
        recurrent_mask=masks.recurrent[0] if masks and masks.recurrent else None,
        attention=wrapper.attention.tensors(memory, kernel[size:]),
    )
    outputs, contexts, alignments = (
        tf.transpose(each, [1, 0, 2])
        for each in (found.hidden, found.contexts, found.alignments)
    )
    last = in_form_of(start.cell, found.state)
    return AttentionOutputs.of_steps(
        outputs, contexts, alignments, last, contexts, start, mask
    )


def hoisted_loop(
    wrapper: Any,
    inputs: tf.Tensor,
    memory: AttentionMemory,
    start: AttentionState,
    mask: tf.Tensor | None,
    training: bool,
) -> AttentionOutputs:
    """Runs a stack over all steps, then attends from all of them at once.

    That takes a new query that is not fed back. Arguments as for `plain_loop`.
    """
    hidden, cell = wrapper.cell(inputs, start.cell, mask=mask, training=training)
    contexts, alignments = wrapper.attention(hidden, memory)
    outputs, fed = wrapper.attentional(hidden, contexts)
    return AttentionOutputs.of_steps(
        outputs, contexts, alignments, cell, fed, start, mask
    )
