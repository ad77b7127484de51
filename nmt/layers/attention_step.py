"""Additive attention for one query a sentence: the equations, and their gradient."""

from typing import NamedTuple

import tensorflow as tf


class AttentionTensors(NamedTuple):
    """What every step of a decoder attends to, and with which weights.

    Attributes:
        annotations: h_j, `[batch, source_len, annotation]`.
        keys: U_a h_j, `[batch, source_len, attention]`.
        mask: bool, `[batch, source_len]`; True marks a word.
        query_kernel: W_a, `[hidden, attention]`.
        energy_vector: v_a, `[attention]`.
        context_kernel: The rows of the cell's kernel that read the context,
            `[annotation, gates * hidden]`.
    """

    annotations: tf.Tensor
    keys: tf.Tensor
    mask: tf.Tensor
    query_kernel: tf.Tensor
    energy_vector: tf.Tensor
    context_kernel: tf.Tensor


class AttentionGradients(NamedTuple):
    """Gradients of one step.

    With t_j = tanh(q + k_j), the gradients of all keys are v_a * (d_energies_j -
    squares_j): the caller sums the parts over the steps and multiplies once.

    Attributes:
        query: `[batch, attention]`.
        energies: `[batch, source_len]`.
        squares: d_energies_j t_j^2, `[batch, source_len, attention]`.
        energy_vector: `[attention]`.
    """

    query: tf.Tensor
    energies: tf.Tensor
    squares: tf.Tensor
    energy_vector: tf.Tensor


def wide(dtype: tf.DType | str) -> tf.DType:
    """Returns the type that energies are computed in: float32 for half precision."""
    return tf.float64 if dtype == tf.float64 else tf.float32


def masked_softmax(energies: tf.Tensor, mask: tf.Tensor) -> tf.Tensor:
    """Returns exp(e_j) / sum_k exp(e_k) over the last axis, at least in float32.

    Args:
        energies: float, `[..., source_len]`.
        mask: bool, of a shape that goes with it; True marks what takes part.

    Returns:
        float32 (float64 for such energies), of their shape; exactly zero where the mask
        is False, and all zero in a row where nothing takes part.

    Example:
        >>> energies = tf.zeros([2, 3])
        >>> mask = tf.constant([[True, True, False], [False, False, False]])
        >>> masked_softmax(energies, mask).numpy()
        array([[0.5, 0.5, 0. ],
               [0. , 0. , 0. ]], dtype=float32)
    """
    dtype = wide(energies.dtype)
    energies = tf.where(mask, tf.cast(energies, dtype), tf.cast(-1e30, dtype))
    largest = tf.stop_gradient(tf.reduce_max(energies, axis=-1, keepdims=True))
    weights = tf.where(mask, tf.exp(energies - largest), tf.zeros([], dtype))
    # The largest weight is exp(0), so that only a row without any has a sum below one.
    return weights / tf.maximum(tf.reduce_sum(weights, axis=-1, keepdims=True), 1.0)


class Attended(NamedTuple):
    """What attending gives.

    Attributes:
        context: c, `[batch, annotation]`, or with `target_len` before the last axis.
        alignments: alpha, float32 or float64, `[batch, source_len]`, likewise.
    """

    context: tf.Tensor
    alignments: tf.Tensor


def attend(query: tf.Tensor, attention: AttentionTensors) -> Attended:
    """Aligns queries with the memory (Bahdanau et al., 2015, eqs. 5-6, A.1.2).

        e_j = v_a . tanh(q + k_j),  alpha = softmax(e),  c = sum_j alpha_j h_j

    Args:
        query: q = W_a s, `[batch, attention]` or `[batch, target_len, attention]`.
        attention: k, v_a, h and the mask.
    """
    keys, mask = attention.keys, attention.mask
    if query.shape.rank == 3:
        keys, mask = keys[:, tf.newaxis], mask[:, tf.newaxis]
    hidden = tf.tanh(keys + query[..., tf.newaxis, :])
    dtype = wide(hidden.dtype)
    energies = _dot(tf.cast(hidden, dtype), tf.cast(attention.energy_vector, dtype))
    alignments = masked_softmax(energies, mask)
    return Attended(weighted_sum(alignments, attention.annotations), alignments)


def weighted_sum(alignments: tf.Tensor, annotations: tf.Tensor) -> tf.Tensor:
    """Returns c = sum_j alpha_j h_j, `[batch, annotation]` or one for each query.

    Args:
        alignments: alpha, `[batch, source_len]` or `[batch, target_len, source_len]`.
        annotations: h_j, `[batch, source_len, annotation]`.
    """
    weights = tf.cast(alignments, annotations.dtype)
    if weights.shape.rank == 3:
        return tf.matmul(weights, annotations)
    return tf.linalg.matvec(annotations, weights, transpose_a=True)


def attend_gradient(
    query: tf.Tensor,
    alignments: tf.Tensor,
    attention: AttentionTensors,
    d_context: tf.Tensor,
    d_alignments: tf.Tensor,
) -> AttentionGradients:
    """Differentiates `attend`, but for the annotations (`annotations_gradient`).

    tanh is computed again rather than kept: `[time, batch, source_len, attention]`
    numbers would be 800 MB at the paper's sizes.

    Args:
        query: q.
        alignments: alpha.
        attention: As in `attend`, whose query had no `target_len`.
        d_context: Gradient of c.
        d_alignments: Gradient of alpha, other than by way of c.
    """
    hidden = tf.tanh(attention.keys + query[:, tf.newaxis])
    dtype, size = hidden.dtype, hidden.shape[-1]
    d_weights = tf.linalg.matvec(attention.annotations, d_context)
    d_alignments += tf.cast(d_weights, d_alignments.dtype)
    mean = tf.reduce_sum(alignments * d_alignments, axis=-1, keepdims=True)
    d_energies = tf.cast(alignments * (d_alignments - mean), dtype)
    d_vector = tf.matmul(
        tf.reshape(d_energies, [1, -1]), tf.reshape(hidden, [-1, size])
    )
    squares = d_energies[:, :, tf.newaxis] * tf.square(hidden)
    total = tf.reduce_sum(d_energies, axis=1, keepdims=True)
    d_query = attention.energy_vector * (total - tf.reduce_sum(squares, axis=1))
    return AttentionGradients(d_query, d_energies, squares, d_vector[0])


def annotations_gradient(alignments: tf.Tensor, d_contexts: tf.Tensor) -> tf.Tensor:
    """Returns the gradient of the annotations by way of the contexts of all steps.

    Args:
        alignments: alpha, `[time, batch, source_len]`.
        d_contexts: `[time, batch, annotation]`.

    Returns:
        sum_i alpha_ij d_c_i, `[batch, source_len, annotation]`.
    """
    weights = tf.transpose(tf.cast(alignments, d_contexts.dtype), [1, 2, 0])
    return tf.matmul(weights, tf.transpose(d_contexts, [1, 0, 2]))


def _dot(hidden: tf.Tensor, vector: tf.Tensor) -> tf.Tensor:
    """Returns hidden . vector over the last axis, `[...]`, as one product."""
    rows = tf.reshape(hidden, [-1, hidden.shape[-1]])
    return tf.reshape(tf.linalg.matvec(rows, vector), tf.shape(hidden)[:-1])
