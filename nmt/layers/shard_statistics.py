"""The softmax of a whole vocabulary from a few numbers of each of its slices."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import tensorflow as tf

from nmt.layers.vocabulary_shards import VocabularyShard


class ShardStatistics(NamedTuple):
    """What a slice contributes to the losses of tokens: float32, `[tokens]` each.

    Attributes:
        log_normalizer: log sum_k exp(z_k) over its words k.
        of_target: z_y if the target y is one of its words, else 0.
        total: sum_k z_k over its words; 0 where no labels are smoothed.
    """

    log_normalizer: tf.Tensor
    of_target: tf.Tensor
    total: tf.Tensor


def shard_statistics(
    logits: tf.Tensor, targets: tf.Tensor, shard: VocabularyShard, smoothed: bool
) -> ShardStatistics:
    """Reduces the logits of a slice to `ShardStatistics`.

    Their gradient is made from the softmax p within the slice:

        d z_k = d log_normalizer p_k + d of_target [k = y] + d total

    Args:
        logits: z, float32, `[tokens, size]`.
        targets: y, int, `[tokens]`, of the whole vocabulary.
        shard: Which words these are.
        smoothed: Whether `total` is needed.
    """
    own, rows = shard.local(targets)
    places = tf.stack([tf.range(tf.size(rows), dtype=rows.dtype), rows], axis=1)

    @tf.custom_gradient
    def statistics(logits: tf.Tensor) -> tuple[tuple[tf.Tensor, ...], Any]:
        # A foreign target is taken for the first word: the operation gives
        # logsumexp(z) - z_row and its gradient, p - [k = row], in one passage.
        of_row = tf.gather_nd(logits, places)
        loss, steepness = tf.raw_ops.SparseSoftmaxCrossEntropyWithLogits(
            features=logits, labels=rows
        )
        total = tf.reduce_sum(logits, axis=1) if smoothed else tf.zeros_like(loss)

        def gradient(
            d_normalizer: tf.Tensor, d_target: tf.Tensor, d_total: tf.Tensor
        ) -> tf.Tensor:
            d_logits = d_normalizer[:, tf.newaxis] * steepness
            if smoothed:
                d_logits += d_total[:, tf.newaxis]
            at_row = d_normalizer + tf.where(own, d_target, 0.0)
            return tf.tensor_scatter_nd_add(d_logits, places, at_row)

        outputs = loss + of_row, tf.where(own, of_row, 0.0), total
        return outputs, gradient

    return ShardStatistics(*statistics(logits))


def merged_losses(
    statistics: Sequence[ShardStatistics], vocabulary_size: int, label_smoothing: float
) -> tuple[tf.Tensor, tf.Tensor]:
    """Returns what `token_losses` does, from the statistics of all slices.

    With K slices of V words, log Z = log sum_k exp(log_normalizer_k) and smoothing
    epsilon:

        -log p(y) = log Z - z_y
        loss = (1 - epsilon) (-log p(y)) + epsilon (log Z - sum_j z_j / V)

    Args:
        statistics: Of all slices.
        vocabulary_size: V.
        label_smoothing: epsilon, in `[0, 1)`.

    Returns:
        The smoothed loss and -log p(y), float32, nats, `[tokens]` each.
    """
    normalizers, of_target, totals = zip(*statistics, strict=True)
    log_normalizer = tf.reduce_logsumexp(tf.stack(normalizers), axis=0)
    nats = log_normalizer - tf.add_n(of_target)
    if not label_smoothing:
        return nats, nats
    spread = log_normalizer - tf.add_n(totals) / vocabulary_size
    return (1 - label_smoothing) * nats + label_smoothing * spread, nats
