"""The quick way to the largest logits against the plain one."""

import numpy as np
import pytest
import tensorflow as tf

from nmt.decoding.top_words import _block_size, top_words


@pytest.mark.parametrize("count", [1, 5, 14])
@pytest.mark.parametrize("vocabulary", [30, 1009, 1280, 8000])
@pytest.mark.parametrize("ties", [False, True])
def test_the_largest_are_those_of_top_k(
    vocabulary: int, count: int, ties: bool
) -> None:
    random = np.random.default_rng(vocabulary)
    logits = random.normal(size=(3, 4, vocabulary)).astype(np.float32)
    if ties:
        # A few values only: the largest come many times, and in many blocks.
        logits = logits.round()
    logits[0, 0] = -np.inf
    logits[0, 1, 7:] = -np.inf
    logits[0, 2] = 0.0
    best, words = top_words(tf.constant(logits), count)
    expected = tf.math.top_k(logits, count)
    np.testing.assert_array_equal(best, expected.values)
    np.testing.assert_array_equal(words, expected.indices)
    assert words.dtype == tf.int32


def test_it_compiles_and_takes_any_batch() -> None:
    logits = tf.random.stateless_normal([2, 3, 640], [1, 2])
    expected = tf.math.top_k(logits, 4).indices
    compiled = tf.function(lambda x: top_words(x, 4)[1], jit_compile=True)
    np.testing.assert_array_equal(compiled(logits), expected)
    spec = tf.TensorSpec([None, 3, 640], tf.float32)
    graph = tf.function(lambda x: top_words(x, 4)[1], input_signature=[spec])
    np.testing.assert_array_equal(graph(logits), expected)
    assert graph(logits[:0]).shape == (0, 3, 4)


def test_blocks_cut_the_vocabulary_evenly() -> None:
    assert [_block_size(size) for size in (8000, 4000, 80000)] == [125, 125, 128]
    assert [_block_size(size) for size in (None, 30, 1009)] == [0, 0, 0]
