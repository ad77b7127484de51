"""Logits in slices give what whole ones give."""

import numpy as np
import pytest
import tensorflow as tf

from nmt.layers import (
    join_shards,
    largest_logits,
    log_normalizer,
    log_softmax,
    logits_at,
    map_shards,
    vocabulary_size,
)
from nmt.layers.vocabulary_shards import vocabulary_shards
from tests.tolerance import assert_close

# Few values, so that many logits are equal.
TIES = np.random.default_rng(0).integers(0, 4, (2, 3, 10)).astype(np.float32)
DISTINCT = np.random.default_rng(0).normal(0, 3, (2, 3, 10)).astype(np.float32)


def cut(logits: np.ndarray, shards: int) -> tuple[tf.Tensor, ...]:
    spans = vocabulary_shards(logits.shape[-1], shards)
    return tuple(tf.constant(logits[..., slice(*each)]) for each in spans)


@pytest.mark.parametrize("shards", [1, 3, 4, 10])
def test_normalizer_softmax_and_size_are_those_of_the_whole(shards: int) -> None:
    logits = cut(DISTINCT, shards)
    assert vocabulary_size(logits) == vocabulary_size(DISTINCT) == 10
    np.testing.assert_array_equal(join_shards(logits), DISTINCT)
    assert join_shards(DISTINCT) is DISTINCT
    assert_close(log_normalizer(logits), log_normalizer(DISTINCT), "float32")
    found = log_softmax(logits)
    assert isinstance(found, tuple)
    assert_close(join_shards(found), log_softmax(DISTINCT), "float32")


@pytest.mark.parametrize("count", [1, 4, 10])
@pytest.mark.parametrize("shards", [1, 3, 4, 10])
@pytest.mark.parametrize("logits", [TIES, DISTINCT], ids=["ties", "distinct"])
def test_largest_are_those_of_the_whole(
    logits: np.ndarray, shards: int, count: int
) -> None:
    best, words = largest_logits(cut(logits, shards), count)
    expected, expected_words = tf.math.top_k(logits, count)
    np.testing.assert_array_equal(best, expected)
    np.testing.assert_array_equal(words, expected_words)
    # Of a number that is known at run time only.
    again, _ = largest_logits(cut(logits, shards), tf.constant(count))
    np.testing.assert_array_equal(again, expected)
    np.testing.assert_array_equal(largest_logits(logits, count)[1], expected_words)


@pytest.mark.parametrize("shards", [1, 3, 4])
def test_single_logits_are_found(shards: int) -> None:
    rows = DISTINCT[0]
    places = [[0, 9], [2, 0], [2, 4], [1, 3], [1, 3]]
    found = logits_at(cut(rows, shards), tf.constant(places))
    np.testing.assert_array_equal(found, [rows[row, word] for row, word in places])
    np.testing.assert_array_equal(logits_at(rows, tf.constant(places)), found)


def test_a_function_is_told_the_first_word() -> None:
    firsts = []
    whole = map_shards(lambda shard, first: firsts.append(first) or -shard, DISTINCT)
    np.testing.assert_array_equal(whole, -DISTINCT)
    parts = map_shards(lambda shard, first: shard + first, cut(DISTINCT, 4))
    assert firsts == [0]
    assert [len(part[0, 0]) for part in parts] == [3, 3, 3, 1]
    np.testing.assert_array_equal(parts[3], DISTINCT[..., 9:] + 9)
