"""Every pair is in exactly one batch, and no batch is larger than it may be."""

import dataclasses
import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nmt.config import BatchingConfig
from nmt.data.batching import bucket_lengths, check_batching, plan_batches
from nmt.errors import UserError

lengths = st.lists(
    st.tuples(st.integers(1, 40), st.integers(1, 40)), min_size=0, max_size=60
)
configs = st.builds(
    BatchingConfig,
    batch_by=st.sampled_from(["sentences", "tokens"]),
    batch_size=st.integers(1, 100),
    bucket_boundaries=st.sampled_from([(), (5,), (10, 20, 40)]),
)


def sides(pairs: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    array = np.array(pairs, np.int64).reshape(-1, 2)
    return array[:, 0], array[:, 1]


@given(lengths, configs)
def test_every_pair_is_in_one_batch(
    pairs: list[tuple[int, int]], config: BatchingConfig
) -> None:
    batches = plan_batches(*sides(pairs), config)
    placed = [place for batch in batches for place in batch.pairs.tolist()]
    assert sorted(placed) == list(range(len(pairs)))
    assert all(0 < len(batch.pairs) <= batch.rows for batch in batches)


@given(lengths, configs)
def test_every_sentence_has_room(
    pairs: list[tuple[int, int]], config: BatchingConfig
) -> None:
    source, target = sides(pairs)
    for batch in plan_batches(source, target, config):
        assert source[batch.pairs].max() <= batch.source_length
        assert target[batch.pairs].max() <= batch.target_length


@given(lengths, configs)
def test_batches_by_sentences_are_within_their_size(
    pairs: list[tuple[int, int]], config: BatchingConfig
) -> None:
    config = dataclasses.replace(config, batch_by="sentences")
    batches = plan_batches(*sides(pairs), config)
    assert all(batch.rows <= config.batch_size for batch in batches)


@given(lengths, st.integers(1, 400), st.sampled_from([(), (10, 20, 40)]))
def test_batches_by_tokens_are_within_their_size(
    pairs: list[tuple[int, int]], batch_size: int, boundaries: tuple[int, ...]
) -> None:
    config = BatchingConfig("tokens", batch_size, bucket_boundaries=boundaries)
    for batch in plan_batches(*sides(pairs), config):
        positions = batch.rows * (batch.source_length + batch.target_length)
        assert positions <= batch_size or batch.rows == 1


@given(lengths, st.integers(1, 400))
def test_batches_by_tokens_are_as_large_as_they_may(
    pairs: list[tuple[int, int]], batch_size: int
) -> None:
    source, target = sides(pairs)
    batches = plan_batches(source, target, BatchingConfig("tokens", batch_size))
    for batch, following in itertools.pairwise(batches):
        more = np.append(batch.pairs, following.pairs[0])
        assert len(more) * (source[more].max() + target[more].max()) > batch_size


def test_pairs_of_like_length_are_together() -> None:
    random = np.random.default_rng(1)
    source = random.integers(1, 40, 6400)
    target = np.clip(source + random.integers(-3, 4, 6400), 1, None)
    batches = plan_batches(source, target, BatchingConfig(batch_size=64))
    positions = sum(b.rows * (b.source_length + b.target_length) for b in batches)
    assert (source.sum() + target.sum()) / positions > 0.9


@pytest.mark.parametrize(("batch_by", "size"), [("sentences", 8), ("tokens", 320)])
def test_batches_of_a_bucket_have_one_shape(batch_by: str, size: int) -> None:
    random = np.random.default_rng(1)
    source, target = random.integers(1, 21, (2, 500))
    config = BatchingConfig(
        batch_by=batch_by, batch_size=size, bucket_boundaries=(5, 10, 20)
    )
    batches = plan_batches(source, target, config)
    shapes = {(b.rows, b.source_length, b.target_length) for b in batches}
    if batch_by == "sentences":
        assert shapes == {(8, 5, 5), (8, 10, 10), (8, 20, 20)}
    else:
        assert shapes == {(32, 5, 5), (16, 10, 10), (8, 20, 20)}


def test_bucket_lengths_are_inclusive() -> None:
    boundaries = (4, 8)
    assert bucket_lengths(np.array([1, 4, 5, 8]), boundaries).tolist() == [4, 4, 8, 8]
    assert bucket_lengths(np.array([9, 16, 17]), boundaries).tolist() == [16, 16, 24]


def test_sorting_keeps_the_order_of_equals() -> None:
    ones = np.ones(6, int)
    (batch,) = plan_batches(ones, ones, BatchingConfig(batch_size=6))
    assert batch.pairs.tolist() == list(range(6))


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (BatchingConfig(batch_by="words"), "choose sentences or tokens"),
        (BatchingConfig(batch_size=0), "at least 1"),
        (BatchingConfig(pool_batches=0), "at least 1"),
        (BatchingConfig(bucket_boundaries=(5, 5)), "ascending"),
        (BatchingConfig(bucket_boundaries=(0, 5)), "ascending"),
        (BatchingConfig(bucket_boundaries=(9, 5)), "ascending"),
    ],
)
def test_settings_without_sense_are_refused(
    config: BatchingConfig, message: str
) -> None:
    with pytest.raises(UserError, match=message):
        check_batching(config)


def test_the_preset_is_accepted() -> None:
    check_batching(BatchingConfig())
