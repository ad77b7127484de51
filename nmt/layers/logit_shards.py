"""Logits of a vocabulary, whole or in slices that are never put together.

Whatever takes `Logits` takes either form, and gives the same numbers for both. What is
done to a slice is done where the slice lives. Nothing here has gradients when slices
are on several devices: losses are made from `shard_statistics`.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import tensorflow as tf

from nmt.distribution.colocation import where_lives

# `[..., vocabulary]`, or its slices `[..., size]` in the order of the words.
Logits: TypeAlias = tf.Tensor | tuple[tf.Tensor, ...]


def vocabulary_size(logits: Logits) -> Any:
    """Returns the number of words; a tensor where it is not known beforehand."""
    return sum(size for _, size in _spans(logits))


def map_shards(function: Callable[..., tf.Tensor], logits: Logits) -> Logits:
    """Returns what a function makes of every slice, in the form of the logits.

    Args:
        function: From a slice and the id of its first word.
        logits: Whole, which is one slice from word 0 on, or in slices.
    """
    results = _of_each(function, logits)
    return results if isinstance(logits, tuple) else results[0]


def join_shards(logits: Logits) -> tf.Tensor:
    """Returns the logits as one tensor, `[..., vocabulary]`."""
    return tf.concat(logits, axis=-1) if isinstance(logits, tuple) else logits


def log_normalizer(logits: Logits) -> tf.Tensor:
    """Returns log sum_k exp(z_k) over the vocabulary, `[...]`.

    Example:
        >>> halves = tf.constant([0.0, 1.0]), tf.constant([2.0])
        >>> whole = tf.constant([0.0, 1.0, 2.0])
        >>> float(log_normalizer(halves) - log_normalizer(whole))
        0.0
    """
    parts = _of_each(lambda shard, _: tf.reduce_logsumexp(shard, axis=-1), logits)
    return parts[0] if len(parts) == 1 else tf.reduce_logsumexp(tf.stack(parts), axis=0)


def log_softmax(logits: Logits) -> Logits:
    """Returns log p in the form of the logits."""
    if not isinstance(logits, tuple):
        return tf.nn.log_softmax(logits)
    normalizer = log_normalizer(logits)[..., tf.newaxis]
    return map_shards(lambda shard, _: shard - normalizer, logits)


def largest_logits(
    logits: Logits, count: Any, top_k: Callable[..., Any] = tf.math.top_k
) -> tuple[tf.Tensor, tf.Tensor]:
    """Returns the largest logits of all words, as `tf.math.top_k` of the whole does.

    The `count` largest are among the `count` largest of each slice. Of equal logits
    the first ones are taken.

    Args:
        logits: `[..., vocabulary]` or slices of it.
        count: How many, at most the vocabulary.
        top_k: What finds them in one slice; a quicker way than `tf.math.top_k`.

    Returns:
        The logits, largest first, and int32 their words, `[..., count]`.

    Example:
        >>> halves = tf.constant([1.0, 2.0]), tf.constant([2.0])
        >>> best, words = largest_logits(halves, 2)
        >>> words.numpy().tolist()
        [1, 2]
    """

    def of_shard(shard: tf.Tensor, first: Any) -> tuple[tf.Tensor, tf.Tensor]:
        best, words = top_k(shard, _at_most(count, shard))
        return best, words + first

    if not isinstance(logits, tuple):
        best, words = top_k(logits, count)
        return best, words
    found = _of_each(of_shard, logits)
    best, words = (tf.concat(parts, axis=-1) for parts in zip(*found, strict=True))
    # Of equal ones `top_k` takes the first, which is that of the lower slice.
    best, places = tf.math.top_k(best, count)
    return best, tf.gather(words, places, batch_dims=places.shape.rank - 1)


def logits_at(logits: Logits, places: tf.Tensor) -> tf.Tensor:
    """Returns single logits.

    Args:
        logits: `[rows, vocabulary]` or slices of it.
        places: int, `[n, 2]`: row and word of each.

    Returns:
        `[n]`.

    Example:
        >>> halves = tf.constant([[0.0, 1.0]]), tf.constant([[2.0]])
        >>> logits_at(halves, tf.constant([[0, 2], [0, 1]])).numpy()
        array([2., 1.], dtype=float32)
    """
    if not isinstance(logits, tuple):
        return tf.gather_nd(logits, places)

    def of_shard(shard: tf.Tensor, first: Any) -> tf.Tensor:
        rows, words = places[:, 0], places[:, 1] - first
        own = (words >= 0) & (words < shard.shape[1])
        inside = tf.stack([rows, tf.where(own, words, 0)], axis=1)
        return tf.where(own, tf.gather_nd(shard, inside), 0)

    return tf.add_n(_of_each(of_shard, logits))


def _of_each(function: Callable[..., Any], logits: Logits) -> tuple[Any, ...]:
    if not isinstance(logits, tuple):
        return (function(logits, 0),)
    results = []
    for shard, (first, _) in zip(logits, _spans(logits), strict=True):
        with where_lives(shard):
            results.append(function(shard, first))
    return tuple(results)


def _spans(logits: Logits) -> list[tuple[Any, Any]]:
    """Returns the first word and the number of words of each slice."""
    spans, first = [], 0
    for shard in logits if isinstance(logits, tuple) else (logits,):
        size = shard.shape[-1]
        spans.append((first, tf.shape(shard)[-1] if size is None else size))
        first += spans[-1][1]
    return spans


def _at_most(count: Any, shard: tf.Tensor) -> Any:
    if isinstance(count, int):
        return min(count, shard.shape[-1])
    return tf.minimum(count, shard.shape[-1])
