"""Padded batches of sentence pairs, as `tf.data` datasets."""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np
import tensorflow as tf

from nmt.config import BatchingConfig
from nmt.data.batching import PlannedBatch, check_batching
from nmt.data.corpus import Corpus
from nmt.data.epoch import Epoch, row_batches
from nmt.data.vocabulary import EOS_ID, PAD_ID


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
        epoch: Epochs finished before this one.
        examples_done: Pairs of this epoch that were trained on already; rows of padding
            do not count.

    Returns:
        Dataset of `Batch`; every row exactly once an epoch.

    Raises:
        UserError: settings that make no batches, or a pair longer than the last
            boundary.
    """
    order = Epoch(corpus, rows, batching, seed, epoch)
    return _dataset(corpus, lambda: order.batches(examples_done), reverse_source)


def evaluation_batches(
    corpus: Corpus, rows: np.ndarray, batching: BatchingConfig, reverse_source: bool
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
    batches = row_batches(corpus, rows, batching)
    return _dataset(corpus, lambda: batches, reverse_source)


def source_batch(ids: tf.RaggedTensor, reverse: bool) -> tf.Tensor:
    """Pads source sentences as the encoder reads them: `[c b a EOS PAD]` if reversed.

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
    words = tf.pad(words, [[0, 0], [0, 1]], constant_values=PAD_ID)
    positions = tf.range(tf.shape(words)[1])
    source = tf.where(positions == lengths[:, tf.newaxis], EOS_ID, words)
    return reverse_words(source) if reverse else source


def reverse_words(
    source: tf.Tensor, values: tf.Tensor | None = None, axis: int = 1
) -> tf.Tensor:
    """Turns the words of each sentence round; end of sentence and padding stay last.

    The one place where the source is reversed (LSTM paper, section 3.3): in training,
    decoding and exported models. Twice is not at all.

    Args:
        source: int32, `[batch, source_len]`: ids, end of sentence, padding.
        values: What to turn round in the place of the ids, `[batch, ...]`; None: they
            themselves.
        axis: The axis of the values that is the source positions.

    Returns:
        The values.

    Example:
        >>> reverse_words(tf.constant([[7, 8, 9, 3], [7, 3, 0, 0]])).numpy()
        array([[9, 8, 7, 3],
               [7, 3, 0, 0]], dtype=int32)
    """
    is_word = tf.not_equal(source, PAD_ID) & tf.not_equal(source, EOS_ID)
    words = tf.reduce_sum(tf.cast(is_word, tf.int32), axis=1)
    values = source if values is None else values
    return tf.reverse_sequence(values, words, seq_axis=axis)


def target_batch(ids: tf.RaggedTensor) -> tf.Tensor:
    """Pads target sentences, which are never reversed.

    Args:
        ids: int32, `[batch, (tokens)]`, without end of sentence.

    Returns:
        int32, `[batch, target_len]`: ids, end of sentence, padding.
    """
    return source_batch(ids, reverse=False)


def _dataset(
    corpus: Corpus,
    batches: Callable[[], Iterable[PlannedBatch]],
    reverse_source: bool,
) -> tf.data.Dataset:
    """Reads and pads the batches of rows that `batches` gives, ahead of their use."""

    def read() -> Iterator[tuple[np.ndarray, ...]]:
        for batch in batches():
            source = corpus.source.read(batch.pairs)
            target = corpus.target.read(batch.pairs)
            shape = batch.rows, batch.source_length, batch.target_length
            yield *source, *target, np.array(shape, np.int32)

    def pad(
        source_ids: tf.Tensor,
        source_lengths: tf.Tensor,
        target_ids: tf.Tensor,
        target_lengths: tf.Tensor,
        shape: tf.Tensor,
    ) -> Batch:
        source = tf.RaggedTensor.from_row_lengths(
            source_ids, source_lengths, validate=False
        )
        target = tf.RaggedTensor.from_row_lengths(
            target_ids, target_lengths, validate=False
        )
        return Batch(
            _padded(source_batch(source, reverse_source), shape[0], shape[1]),
            _padded(target_batch(target), shape[0], shape[2]),
        )

    ids = tf.TensorSpec([None], tf.int32)
    lengths = tf.TensorSpec([None], tf.int64)
    signature = ids, lengths, ids, lengths, tf.TensorSpec([3], tf.int32)
    dataset = tf.data.Dataset.from_generator(read, output_signature=signature)
    return dataset.map(pad).prefetch(tf.data.AUTOTUNE)


def _padded(batch: tf.Tensor, rows: tf.Tensor, length: tf.Tensor) -> tf.Tensor:
    missing = tf.stack([rows, length]) - tf.shape(batch)
    paddings = tf.stack([tf.zeros_like(missing), missing], axis=1)
    return tf.pad(batch, paddings, constant_values=PAD_ID)
