"""Padded batches: their words, their shapes, their order."""

from collections.abc import Callable

import numpy as np
import pytest
import tensorflow as tf

from nmt.config import BatchingConfig
from nmt.data.corpus import Corpus
from nmt.data.pipeline import (
    Batch,
    evaluation_batches,
    reverse_words,
    source_batch,
    target_batch,
    training_batches,
)
from nmt.data.vocabulary import EOS_ID, PAD_ID
from nmt.errors import UserError

Build = Callable[..., Corpus]

SENTENCES = BatchingConfig(batch_size=8, pool_batches=4)
TOKENS = BatchingConfig(batch_by="tokens", batch_size=150, pool_batches=4)
BUCKETS = BatchingConfig(batch_size=8, pool_batches=4, bucket_boundaries=(6, 16))
every_config = pytest.mark.parametrize(
    "batching", [SENTENCES, TOKENS, BUCKETS], ids=["sentences", "tokens", "buckets"]
)


def numbered(count: int) -> tuple[list[str], list[str]]:
    """Pairs of distinct words and of lengths from 1 to 12."""
    lengths = np.random.default_rng(1).integers(1, 13, (2, count)).tolist()
    source = [" ".join([f"s{i}", *"w" * (n - 1)]) for i, n in enumerate(lengths[0])]
    target = [" ".join([f"t{i}", *"v" * (n - 1)]) for i, n in enumerate(lengths[1])]
    return source, target


def expected_pairs(
    corpus: Corpus, rows: np.ndarray
) -> set[tuple[tuple[int, ...], ...]]:
    def sentence(side: str, row: int) -> tuple[int, ...]:
        ids = getattr(corpus, side).read(np.array([row])).ids
        return (*ids.tolist(), EOS_ID)

    return {(sentence("source", row), sentence("target", row)) for row in rows}


def pairs(batch: Batch) -> list[tuple[tuple[int, ...], ...]]:
    """The sentences of a batch, after a look at its padding."""
    found = []
    for row in zip(batch.source.numpy(), batch.target.numpy(), strict=True):
        sentences = [tuple(ids[ids != PAD_ID].tolist()) for ids in row]
        for ids, sentence in zip(row, sentences, strict=True):
            assert not ids[len(sentence) :].any()
        if any(sentences):
            found.append(tuple(sentences))
    return found


@every_config
def test_training_sees_every_pair_once(build: Build, batching: BatchingConfig) -> None:
    corpus = build(*numbered(101))
    rows = np.arange(0, 101, 2)
    batches = list(training_batches(corpus, rows, batching, False, seed=1, epoch=0))
    seen = [pair for batch in batches for pair in pairs(batch)]
    assert len(seen) == 51
    assert set(seen) == expected_pairs(corpus, rows)


@every_config
def test_evaluation_sees_every_pair_once_even_empty_ones(
    build: Build, batching: BatchingConfig
) -> None:
    source, target = numbered(101)
    source[3] = target[7] = source[9] = target[9] = ""
    corpus = build(source, target)
    rows = np.arange(101)
    batches = list(evaluation_batches(corpus, rows, batching, False))
    seen = [pair for batch in batches for pair in pairs(batch)]
    assert len(seen) == 101
    assert set(seen) == expected_pairs(corpus, rows)


def test_evaluation_has_room_beyond_the_last_boundary(build: Build) -> None:
    corpus = build(["a " * 40, "a"], ["b", "b"])
    batches = list(evaluation_batches(corpus, np.arange(2), BUCKETS, False))
    assert [batch.source.shape for batch in batches] == [(8, 6), (8, 48)]


def test_shapes_are_static_with_boundaries(build: Build) -> None:
    corpus = build(*numbered(101))
    batches = list(training_batches(corpus, corpus.rows, BUCKETS, True, 1, 0))
    shapes = {(*batch.source.shape, *batch.target.shape) for batch in batches}
    assert shapes == {(8, 6, 8, 6), (8, 16, 8, 16)}


@every_config
def test_training_goes_on_where_it_stopped(
    build: Build, batching: BatchingConfig
) -> None:
    corpus = build(*numbered(101))
    whole = list(training_batches(corpus, corpus.rows, batching, True, 1, 3))
    done = sum(len(pairs(batch)) for batch in whole[:5])
    rest = list(training_batches(corpus, corpus.rows, batching, True, 1, 3, done))
    assert len(rest) == len(whole) - 5
    for batch, expected in zip(rest, whole[5:], strict=True):
        np.testing.assert_array_equal(batch.source, expected.source)
        np.testing.assert_array_equal(batch.target, expected.target)


def test_only_the_source_is_reversed(build: Build) -> None:
    corpus = build(["a b c", "b c"], ["a b c", "b c"])
    forward, backward = (
        next(iter(evaluation_batches(corpus, np.arange(2), SENTENCES, reverse)))
        for reverse in (False, True)
    )
    np.testing.assert_array_equal(forward.source, forward.target)
    np.testing.assert_array_equal(forward.target, backward.target)
    b, c = forward.source[0, :2].numpy()
    a = forward.source[1, 0].numpy()
    expected = [[c, b, EOS_ID, PAD_ID], [c, b, a, EOS_ID]]
    np.testing.assert_array_equal(backward.source, expected)


def test_one_trace_serves_all_batches(build: Build) -> None:
    corpus = build(*numbered(101))
    dataset = training_batches(corpus, corpus.rows, SENTENCES, True, 1, 0)
    assert isinstance(dataset.element_spec, Batch)
    traces = []

    @tf.function(input_signature=[dataset.element_spec])
    def look(batch: Batch) -> tf.Tensor:
        traces.append(1)
        return tf.shape(batch.source)

    for epoch in range(3):
        for batch in training_batches(corpus, corpus.rows, SENTENCES, True, 1, epoch):
            look(batch)
    assert len(traces) == 1


@pytest.mark.parametrize("make", [training_batches, evaluation_batches])
def test_settings_without_sense_are_refused_at_the_start(
    build: Build, make: Callable[..., tf.data.Dataset]
) -> None:
    corpus = build(["a"], ["b"])
    arguments = [1, 0] if make is training_batches else []
    with pytest.raises(UserError, match="at least 1"):
        make(corpus, corpus.rows, BatchingConfig(batch_size=0), True, *arguments)


@pytest.mark.parametrize("reverse", [False, True])
def test_source_batches_of_any_lengths(reverse: bool) -> None:
    sentences = [[7, 8, 9], [], [7], [5, 6]]
    ids = tf.ragged.constant(sentences, tf.int32)
    for call in (source_batch, tf.function(source_batch)):
        batch = call(ids, reverse)
        assert batch.dtype == tf.int32
        for row, sentence in zip(batch.numpy().tolist(), sentences, strict=True):
            words = sentence[::-1] if reverse else sentence
            assert row == [*words, EOS_ID, *[PAD_ID] * (3 - len(words))]


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("rows", [0, 2])
def test_source_batches_without_words(rows: int, reverse: bool) -> None:
    ids = tf.RaggedTensor.from_row_lengths(tf.zeros([0], tf.int32), [0] * rows)
    assert source_batch(ids, reverse).numpy().tolist() == [[EOS_ID]] * rows


def test_values_of_source_positions_are_reversed_like_the_words() -> None:
    source = np.array([[7, 8, 9, 3, 0], [5, 3, 0, 0, 0], [0, 0, 0, 0, 0]], np.int32)
    values = np.arange(30.0).reshape(3, 2, 5)
    turned = reverse_words(source, values, axis=2).numpy()
    np.testing.assert_array_equal(turned[0], values[0][:, [2, 1, 0, 3, 4]])
    np.testing.assert_array_equal(turned[1:], values[1:])
    twice = reverse_words(reverse_words(source))
    np.testing.assert_array_equal(twice, source)


def test_a_target_batch_is_not_reversed() -> None:
    ids = tf.ragged.constant([[7, 8], [9]], tf.int32)
    assert target_batch(ids).numpy().tolist() == [[7, 8, EOS_ID], [9, EOS_ID, PAD_ID]]
