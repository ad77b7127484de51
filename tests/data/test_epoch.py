"""The order of an epoch: complete, shuffled, and the same after a stop."""

from collections.abc import Callable
from itertools import chain

import numpy as np
import pytest

import nmt.data.epoch
from nmt.config import BatchingConfig
from nmt.data.corpus import Corpus
from nmt.data.epoch import Epoch, row_batches
from nmt.errors import UserError

Build = Callable[..., Corpus]

PAIRS = 500
CONFIGS = [
    BatchingConfig(batch_size=8, pool_batches=4),
    BatchingConfig(batch_size=7, pool_batches=3),
    BatchingConfig(batch_by="tokens", batch_size=150, pool_batches=4),
    BatchingConfig(batch_size=8, pool_batches=4, bucket_boundaries=(6, 14)),
]
every_config = pytest.mark.parametrize("batching", CONFIGS)


@pytest.fixture
def corpus(build: Build) -> Corpus:
    """A corpus that is sorted by length, as nobody would shuffle it."""
    random = np.random.default_rng(1)
    source = np.sort(random.integers(1, 13, PAIRS))
    target = np.maximum(source + random.integers(-2, 2, PAIRS), 1)
    return build(["a " * n for n in source], ["b " * n for n in target])


def epoch(
    corpus: Corpus, batching: BatchingConfig, seed: int = 1, number: int = 0
) -> Epoch:
    return Epoch(corpus, np.arange(0, PAIRS, 2), batching, seed, number)


def rows(one: Epoch, examples_done: int = 0) -> list[list[int]]:
    return [batch.pairs.tolist() for batch in one.batches(examples_done)]


@every_config
def test_every_row_comes_once(corpus: Corpus, batching: BatchingConfig) -> None:
    seen = list(chain.from_iterable(rows(epoch(corpus, batching))))
    assert sorted(seen) == list(range(0, PAIRS, 2))


@every_config
def test_what_follows_a_stop_is_what_would_have_followed(
    corpus: Corpus, batching: BatchingConfig
) -> None:
    whole = rows(epoch(corpus, batching))
    done = 0
    for place, batch in enumerate(whole):
        assert rows(epoch(corpus, batching), done) == whole[place:]
        done += len(batch)
    assert rows(epoch(corpus, batching), done) == []


def test_pools_that_are_done_are_not_read(
    corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    original = nmt.data.epoch.row_batches

    def counted(*arguments: object) -> object:
        asked.append(1)
        return original(*arguments)

    monkeypatch.setattr(nmt.data.epoch, "row_batches", counted)
    # 250 pairs are 8 pools of 32; 3 pools and a batch are done.
    list(epoch(corpus, CONFIGS[0]).batches(3 * 32 + 8))
    assert len(asked) == 5


@every_config
def test_epochs_and_seeds_differ_and_nothing_else_does(
    corpus: Corpus, batching: BatchingConfig
) -> None:
    first = rows(epoch(corpus, batching, seed=1, number=0))
    assert rows(epoch(corpus, batching, seed=1, number=0)) == first
    assert rows(epoch(corpus, batching, seed=1, number=1)) != first
    assert rows(epoch(corpus, batching, seed=2, number=0)) != first


def test_a_sorted_corpus_is_shuffled_as_a_whole(corpus: Corpus) -> None:
    order = list(chain.from_iterable(rows(epoch(corpus, CONFIGS[0]))))
    distance = np.abs(np.array(order) / 2 - np.arange(250)).mean()
    # A random order of n has n / 3.
    assert distance > 250 / 4


def test_short_and_long_batches_are_mixed(corpus: Corpus) -> None:
    lengths = [batch.source_length for batch in epoch(corpus, CONFIGS[0]).batches()]
    steps = np.sign(np.diff(lengths))
    assert min((steps > 0).sum(), (steps < 0).sum()) > 8


def test_every_epoch_mixes_them_in_its_own_way(corpus: Corpus) -> None:
    places = set()
    for number in range(8):
        pool = list(epoch(corpus, CONFIGS[0], number=number).batches())[:4]
        words = [corpus.source.lengths(batch.pairs).sum() for batch in pool]
        places.add(int(np.argmax(words)))
    assert len(places) > 1


@every_config
def test_the_plan_is_what_comes(corpus: Corpus, batching: BatchingConfig) -> None:
    one = epoch(corpus, batching)
    plan, batches = one.plan(), list(one.batches())
    source = [batch.rows * batch.source_length for batch in batches]
    target = [batch.rows * batch.target_length for batch in batches]
    pairs = np.concatenate([batch.pairs for batch in batches])
    tokens = corpus.source.lengths(pairs) + corpus.target.lengths(pairs) + 2
    assert plan.batches == len(batches)
    assert plan.largest_source == max(source)
    assert plan.largest_target == max(target)
    padding = 100 - 100 * tokens.sum() / sum(source + target)
    assert plan.padding_percent == pytest.approx(padding)


def test_the_plan_tells_how_buckets_are_filled(corpus: Corpus) -> None:
    one = epoch(corpus, CONFIGS[3])
    batches = list(one.batches())
    for bucket in one.plan().buckets:
        members = [batch for batch in batches if batch.source_length == bucket.length]
        pairs = sum(len(batch.pairs) for batch in members)
        assert bucket.batches == len(members)
        assert bucket.filled_percent == pytest.approx(100 * pairs / (8 * len(members)))
    assert [bucket.length for bucket in one.plan().buckets] == [6, 14]
    assert epoch(corpus, CONFIGS[0]).plan().buckets == ()


def test_the_plan_of_many_pools_is_near(corpus: Corpus) -> None:
    batching = BatchingConfig(batch_by="tokens", batch_size=40, pool_batches=1)
    one = epoch(corpus, batching)
    batches = len(list(one.batches()))
    assert batches > 64
    assert one.plan().batches == pytest.approx(batches, rel=0.1)


@every_config
def test_rows_are_cut_shortest_first(corpus: Corpus, batching: BatchingConfig) -> None:
    chosen = np.random.default_rng(1).permutation(PAIRS)[:100]
    batches = row_batches(corpus, chosen, batching)
    assert sorted(np.concatenate([b.pairs for b in batches])) == sorted(chosen)
    lengths = [batch.source_length for batch in batches]
    assert lengths == sorted(lengths)


def test_a_pair_over_the_last_boundary_is_refused_with_its_line(build: Build) -> None:
    corpus = build(["a", "a " * 15, "a"], ["b", "b", "b " * 16])
    batching = BatchingConfig(bucket_boundaries=(6, 16))
    assert len(rows(Epoch(corpus, np.arange(2), batching, 1, 0))) == 2
    with pytest.raises(UserError, match=r"source:3: the pair has 17 tokens.*16"):
        Epoch(corpus, np.arange(3), batching, 1, 0)


def test_settings_without_sense_are_refused(build: Build) -> None:
    corpus = build(["a"], ["b"])
    with pytest.raises(UserError, match="at least 1"):
        Epoch(corpus, corpus.rows, BatchingConfig(batch_size=0), 1, 0)
