"""Slices of a vocabulary."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given
from hypothesis import strategies as st

from nmt.layers.vocabulary_shards import (
    shard_initializer,
    shard_name,
    slice_name,
    stage_of,
    vocabulary_shards,
)


@given(st.integers(1, 300), st.integers(1, 40))
def test_slices_cover_the_vocabulary_once(words: int, shards: int) -> None:
    found = vocabulary_shards(words, shards)
    assert [id for each in found for id in range(*each)] == list(range(words))
    assert len(found) <= shards
    sizes = [each.size for each in found]
    assert set(sizes[:-1]) <= {-(-words // shards)}
    assert 1 <= sizes[-1] <= -(-words // shards)


@pytest.mark.parametrize(("words", "shards"), [(0, 1), (3, 0)])
def test_no_words_or_slices_are_refused(words: int, shards: int) -> None:
    with pytest.raises(ValueError, match="cannot be cut"):
        vocabulary_shards(words, shards)


def test_ids_are_told_apart() -> None:
    own, rows = vocabulary_shards(10, 4)[1].local(tf.constant([[2, 3], [5, 6]]))
    np.testing.assert_array_equal(own, [[False, True], [True, False]])
    np.testing.assert_array_equal(rows, [[0, 0], [2, 0]])


@pytest.mark.parametrize(("weight", "axis"), [("embeddings", 0), ("kernel", 1)])
@pytest.mark.parametrize("name", ["glorot_uniform", "uniform"])
def test_slices_start_as_the_whole(name: str, weight: str, axis: int) -> None:
    initializer = keras.initializers.get(name)
    shape = (10, 3) if axis == 0 else (3, 10)
    parts = [
        shard_initializer(initializer, shard, shape, weight)(None, dtype="float32")
        for shard in vocabulary_shards(10, 4)
    ]
    whole = initializer(shape, dtype="float32")
    np.testing.assert_array_equal(tf.concat(parts, axis), whole)


def test_without_stages_a_slice_is_nowhere() -> None:
    assert stage_of(None, 2) is None
    assert stage_of((), 2) is None


@pytest.mark.parametrize("weight", ["embeddings", "kernel", "bias"])
def test_names_of_slices_are_read_back(weight: str) -> None:
    found = slice_name(f"model/{shard_name(weight, 11)}_velocity")
    assert found[:2] == (f"model/{weight}_velocity", 11)
    assert slice_name(f"model/{weight}") is None
