"""What an attention wrapper carries along, and what it returns."""

from typing import Any, NamedTuple

import tensorflow as tf


class AttentionState(NamedTuple):
    """What an `AttentionWrapper` remembers from one step to the next.

    Attributes:
        cell: s_i, in the form of the cell's states.
        attention: a_i, or c_i where there is no attentional layer, `[rows, size]`.
        alignments: alpha_i, float32, `[rows, source_len]`; zero before the first step.
    """

    cell: Any
    attention: tf.Tensor
    alignments: tf.Tensor


class AttentionOutputs(NamedTuple):
    """What an `AttentionWrapper` returns for all steps.

    Attributes:
        outputs: `[batch, target_len, output]`.
        contexts: c_i, `[batch, target_len, annotation]`.
        alignments: alpha_i, the alignment history, float32,
            `[batch, target_len, source_len]`.
        state: After the last valid step.
    """

    outputs: tf.Tensor
    contexts: tf.Tensor
    alignments: tf.Tensor
    state: AttentionState

    @classmethod
    def of_steps(
        cls,
        outputs: tf.Tensor,
        contexts: tf.Tensor,
        alignments: tf.Tensor,
        cell: Any,
        attention: tf.Tensor,
        start: AttentionState,
        mask: tf.Tensor | None,
    ) -> "AttentionOutputs":
        """Makes the last state from the values of all steps.

        Args:
            outputs: Of all steps, batch first, like the next two.
            contexts: c_i.
            alignments: alpha_i.
            cell: The cell's last state.
            attention: a_i of all steps, `[batch, target_len, size]`.
            start: The state before the first step.
            mask: bool, `[batch, target_len]`; True marks a valid step.
        """
        last = AttentionState(
            cell,
            _last_valid(attention, start.attention, mask),
            _last_valid(alignments, start.alignments, mask),
        )
        return cls(outputs, contexts, alignments, last)


def _last_valid(
    values: tf.Tensor, start: tf.Tensor, mask: tf.Tensor | None
) -> tf.Tensor:
    """Returns the values of the last valid step; those at the start if there is none.

    Args:
        values: `[batch, target_len, ...]`.
        start: `[batch, ...]`.
        mask: bool, `[batch, target_len]`.
    """
    if mask is None:
        return values[:, -1]
    steps = tf.range(1, tf.shape(values)[1] + 1)
    place = tf.reduce_max(tf.where(tf.cast(mask, tf.bool), steps, 0), axis=1)
    with_start = tf.concat([start[:, tf.newaxis], values], axis=1)
    return tf.gather(with_start, place, batch_dims=1)
