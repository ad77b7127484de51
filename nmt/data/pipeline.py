"""Padded batches of sentence pairs, as `tf.data` datasets."""

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import tensorflow as tf

from nmt.config import BatchingConfig
from nmt.data.batching import PlannedBatch, check_batching, plan_batches
from nmt.data.corpus import Corpus
from nmt.data.vocabulary import EOS_ID, PAD_ID
from nmt.errors import UserError

# Pools that stand for an epoch of more pools in `plan_epoch`.
_POOLS_PLANNED = 64


class Batch(NamedTuple):
    """Sentence pairs, one a row; a row of padding alone fills a static shape.

    Attributes:
        source: int32, `[batch, source_len]`: ids, end of sentence, padding. The words
            may be reversed; the end of sentence comes after them all the same.
        target: int32, `[batch, target_len]`: ids, end of sentence, padding.
    """

    source: tf.Tensor
    target: tf.Tensor


def training_batches(
    corpus: Corpus,
    rows: np.ndarray,
    batching: BatchingConfig,
    reverse_source: bool,
    seed: int,
    epoch: int,
    examples_done: int = 0,
) -> tf.data.Dataset:
    """Makes the batches of the rest of an epoch.

    The order depends on `seed` and `epoch` alone, so that `examples_done` is the whole
    position: the same settings continue with the very batches that would have followed.

    Args:
        corpus: The pairs.
        rows: int64, `[pairs]`; rows of the corpus to train on.
        batching: How to group them.
        reverse_source: Whether the source is read last word to first.
        seed: Not negative.
        epoch: Epochs finished, from 0.
        examples_done: Pairs of this epoch that were trained on already, rows of padding
            not counted.

    Returns:
        Dataset of `Batch`; all rows exactly once an epoch.

    Raises:
        UserError: settings that make no batches, or a pair longer than the last
            boundary.
    """
    check_batching(batching)
    _check_lengths(corpus, rows, batching)
    order, pool_size = _order(corpus, rows, batching, seed, epoch)
    first_pool, skipped = divmod(examples_done, pool_size)

    def batches() -> Iterator[tuple[np.ndarray, PlannedBatch]]:
        remaining = skipped
        for pool in range(first_pool, math.ceil(len(order) / pool_size)):
            members = order[pool * pool_size : (pool + 1) * pool_size]
            planned = _plan(corpus, members, batching)
            shuffler = np.random.Generator(np.random.PCG64([seed, epoch, pool]))
            for place in shuffler.permutation(len(planned)):
                batch = planned[place]
                if remaining > 0:
                    remaining -= len(batch.pairs)
                else:
                    yield members[batch.pairs], batch

    return _dataset(corpus, batches, reverse_source)


def evaluation_batches(
    corpus: Corpus,
    rows: np.ndarray,
    batching: BatchingConfig,
    reverse_source: bool,
) -> tf.data.Dataset:
    """Makes batches of every pair exactly once, shortest first, none dropped.

    Args:
        corpus: The pairs; a side may be empty.
        rows: int64, `[pairs]`; rows of the corpus to evaluate.
        batching: How to group them.
        reverse_source: Whether the source is read last word to first.

    Returns:
        Dataset of `Batch`.

    Raises:
        UserError: settings that make no batches.
    """
    check_batching(batching)

    def batches() -> Iterator[tuple[np.ndarray, PlannedBatch]]:
        for batch in _plan(corpus, rows, batching):
            yield rows[batch.pairs], batch

    return _dataset(corpus, batches, reverse_source)


def source_batch(ids: tf.RaggedTensor, reverse: bool) -> tf.Tensor:
    """Pads source sentences as the encoder reads them: `[c b a EOS PAD]` if reversed.

    The one place where the source is reversed (LSTM paper, section 3.3): in training,
    decoding and in exported models.

    Args:
        ids: int32, `[batch, (tokens)]`, without end of sentence.
        reverse: Whether the words are reversed; end of sentence and padding stay last.

    Returns:
        int32, `[batch, source_len]`: ids, end of sentence, padding.

    Example:
        >>> source_batch(tf.ragged.constant([[7, 8, 9], [7]]), reverse=True).numpy()
        array([[9, 8, 7, 3],
               [7, 3, 0, 0]], dtype=int32)
    """
    words = ids.to_tensor(PAD_ID)
    lengths = tf.cast(ids.row_lengths(), tf.int32)
    if reverse:
        words = tf.reverse_sequence(words, lengths, seq_axis=1)
    positions = tf.range(tf.shape(words)[1] + 1)
    words = tf.pad(words, [[0, 0], [0, 1]], constant_values=PAD_ID)
    return tf.where(positions == lengths[:, tf.newaxis], EOS_ID, words)


def target_batch(ids: tf.RaggedTensor) -> tf.Tensor:
    """Pads target sentences, which are never reversed.

    Args:
        ids: int32, `[batch, (tokens)]`, without end of sentence.

    Returns:
        int32, `[batch, target_len]`: ids, end of sentence, padding.
    """
    return source_batch(ids, reverse=False)


def epoch_batches(
    corpus: Corpus, rows: np.ndarray, batching: BatchingConfig, seed: int
) -> int:
    """Returns the updates of the first epoch; other epochs differ by a few at most.

    Exact up to 64 pools; of a larger corpus 64 pools are planned and scaled up.

    Args:
        corpus: The pairs.
        rows: int64, `[pairs]`; rows of the corpus to train on.
        batching: How to group them.
        seed: Of the order of the pairs.
    """
    order, pool_size = _order(corpus, rows, batching, seed, epoch=0)
    pools = math.ceil(len(order) / pool_size)
    looked_at = np.linspace(0, pools - 1, min(pools, _POOLS_PLANNED)).astype(int)
    batches = pairs = 0
    for pool in looked_at:
        members = order[pool * pool_size : (pool + 1) * pool_size]
        batches += len(_plan(corpus, members, batching))
        pairs += len(members)
    return math.ceil(batches * len(order) / max(pairs, 1))


def _order(
    corpus: Corpus, rows: np.ndarray, batching: BatchingConfig, seed: int, epoch: int
) -> tuple[np.ndarray, int]:
    """Returns the rows of an epoch in their order, and the pairs of a pool."""
    pairs = batching.pool_batches * batching.batch_size
    if batching.batch_by == "tokens":
        # The mean length of a pair, ends of both sentences included.
        tokens = corpus.source.tokens + corpus.target.tokens + 2 * len(corpus)
        pairs = pairs * len(corpus) // tokens
    generator = np.random.Generator(np.random.PCG64([seed, epoch]))
    return generator.permutation(rows), max(pairs, 1)


def _plan(
    corpus: Corpus, rows: np.ndarray, batching: BatchingConfig
) -> list[PlannedBatch]:
    # The end of a sentence is one more position.
    return plan_batches(
        corpus.source.lengths(rows) + 1, corpus.target.lengths(rows) + 1, batching
    )


def _check_lengths(corpus: Corpus, rows: np.ndarray, batching: BatchingConfig) -> None:
    if not batching.bucket_boundaries:
        return
    last = batching.bucket_boundaries[-1]
    lengths = np.maximum(corpus.source.lengths(rows), corpus.target.lengths(rows)) + 1
    longest = int(np.argmax(lengths))
    if lengths[longest] > last:
        raise UserError(
            f"the pair of line {corpus.line_numbers[rows[longest]]} has "
            f"{lengths[longest]} tokens, end of sentence included, but the last of "
            f"bucket_boundaries is {last}; set max_source_length and max_target_length "
            f"to {last - 1} or less, or add a boundary"
        )


def _dataset(
    corpus: Corpus,
    batches: Callable[[], Iterator[tuple[np.ndarray, PlannedBatch]]],
    reverse_source: bool,
) -> tf.data.Dataset:
    def read() -> Iterator[tuple[np.ndarray, ...]]:
        for rows, batch in batches():
            shape = batch.rows, batch.source_length, batch.target_length
            source, target = corpus.source.read(rows), corpus.target.read(rows)
            yield *source, *target, np.array(shape, np.int32)

    def pad(
        source_ids: tf.Tensor,
        source_lengths: tf.Tensor,
        target_ids: tf.Tensor,
        target_lengths: tf.Tensor,
        shape: tf.Tensor,
    ) -> Batch:
        source = tf.RaggedTensor.from_row_lengths(source_ids, source_lengths)
        target = tf.RaggedTensor.from_row_lengths(target_ids, target_lengths)
        return Batch(
            _padded_to(source_batch(source, reverse_source), shape[0], shape[1]),
            _padded_to(target_batch(target), shape[0], shape[2]),
        )

    ids = tf.TensorSpec([None], tf.int32)
    lengths = tf.TensorSpec([None], tf.int64)
    signature = ids, lengths, ids, lengths, tf.TensorSpec([3], tf.int32)
    dataset = tf.data.Dataset.from_generator(read, output_signature=signature)
    return dataset.map(pad).prefetch(tf.data.AUTOTUNE)


def _padded_to(batch: tf.Tensor, rows: tf.Tensor, length: tf.Tensor) -> tf.Tensor:
    missing = tf.stack([rows, length]) - tf.shape(batch)
    paddings = tf.stack([tf.zeros_like(missing), missing], axis=1)
    return tf.pad(batch, paddings, constant_values=PAD_ID)
