"""What a decoder attends to, as one named tuple that is passed along."""

from typing import Any, NamedTuple

import tensorflow as tf


class AttentionMemory(NamedTuple):
    """The source as an attention layer reads it; made by its `build_memory`.

    Attributes:
        annotations: h_j, `[batch, source_len, annotation]`, zero at padding.
        keys: What energies are computed from, `[batch, source_len, attention]`: U_a h_j
            of Bahdanau et al. (2015), W h_j of Luong et al. (2015). They do not depend
            on the query, and are computed once a sentence.
        mask: bool, `[batch, source_len]`; True marks a word.
    """

    annotations: tf.Tensor
    keys: tf.Tensor
    mask: tf.Tensor


def masked_annotations(
    annotations: tf.Tensor, mask: Any, dtype: str
) -> tuple[tf.Tensor, tf.Tensor]:
    """Returns the annotations in the type asked for, zero at padding, and their mask.

    Args:
        annotations: float, `[batch, source_len, annotation]`.
        mask: bool, `[batch, source_len]`; None: all are words.
        dtype: Type to compute in.
    """
    annotations = tf.cast(annotations, dtype)
    if mask is None:
        return annotations, tf.ones(tf.shape(annotations)[:2], tf.bool)
    mask = tf.cast(mask, tf.bool)
    zeros = tf.zeros([], annotations.dtype)
    return tf.where(mask[:, :, tf.newaxis], annotations, zeros), mask


def annotations_shape(memory_shape: Any) -> Any:
    """Returns the annotations' shape, from that of the annotations or of a memory.

    A file of Keras keeps the shape of a memory as nested lists.
    """
    nested = isinstance(memory_shape[0], list | tuple)
    return memory_shape[0] if nested else memory_shape
