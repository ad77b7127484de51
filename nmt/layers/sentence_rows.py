"""Several rows a sentence that read what the sentence has only once."""

from typing import Any

import tensorflow as tf

from nmt.layers.attention_memory import AttentionMemory


def attend_from_rows(
    attention: Any, query: tf.Tensor, memory: AttentionMemory
) -> tuple[tf.Tensor, tf.Tensor]:
    """Attends from k rows a sentence, those of a beam for example.

    The rows of a sentence are consecutive, and k is their number divided by that of the
    sentences. They become k queries at once, so that the memory is not repeated.

    Args:
        attention: A layer that takes many queries at once, as `BahdanauAttention`.
        query: float, `[sentences * k, hidden]`.
        memory: What is attended to, `[sentences, ...]`.

    Returns:
        context: float, `[sentences * k, annotation]`.
        alignments: float32, `[sentences * k, source_len]`.

    Example:
        >>> from nmt.layers import LuongAttention
        >>> attention = LuongAttention("dot")
        >>> attention.build((None, 6), (None, None, 6))
        >>> memory = attention.build_memory(tf.ones([2, 5, 6]))
        >>> context, alignments = attend_from_rows(attention, tf.ones([8, 6]), memory)
        >>> context.shape, alignments.shape
        (TensorShape([8, 6]), TensorShape([8, 5]))
    """
    rows, sentences = _size(query, 0), _size(memory.mask, 0)
    shape = [sentences, _rows_a_sentence(rows, sentences), _size(query, -1)]
    context, alignments = attention(tf.reshape(query, shape), memory)
    context = tf.reshape(context, [rows, _size(context, -1)])
    return context, tf.reshape(alignments, [rows, _size(alignments, -1)])


def repeat_for_rows(values: tf.Tensor, rows: tf.Tensor) -> tf.Tensor:
    """Returns what each sentence has once for all of its rows, `[rows, ...]`.

    Args:
        values: `[sentences, ...]`.
        rows: Anything `[sentences * k, ...]`; the rows of a sentence are consecutive.

    Example:
        >>> repeat_for_rows(tf.constant([[7], [8]]), tf.zeros([4, 3])).numpy().tolist()
        [[7], [7], [8], [8]]
    """
    times = _rows_a_sentence(_size(rows, 0), _size(values, 0))
    return tf.repeat(values, times, axis=0)


def _rows_a_sentence(rows: Any, sentences: Any) -> Any:
    """Returns k: a number where both are, which keeps the shapes static for XLA."""
    if isinstance(rows, int) and isinstance(sentences, int):
        return rows // max(sentences, 1)
    return rows // tf.maximum(sentences, 1)


def _size(tensor: tf.Tensor, axis: int) -> Any:
    size = tensor.shape[axis]
    return tf.shape(tensor)[axis] if size is None else size
