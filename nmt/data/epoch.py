"""The order of an epoch: shuffled, cut into pools, and the pools into batches."""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from nmt.config import BatchingConfig
from nmt.data.batching import PlannedBatch, check_batching, plan_batches
from nmt.data.corpus import Corpus
from nmt.errors import UserError

# Pools that stand for a whole epoch of more in `plan_epoch`.
_POOLS_PLANNED = 64


class Bucket(NamedTuple):
    """Batches of one static shape.

    Attributes:
        length: Positions that both sides are padded to.
        batches: Batches an epoch.
        filled_percent: Share of their rows that hold a pair, in percent.
    """

    length: int
    batches: int
    filled_percent: float


class EpochPlan(NamedTuple):
    """What an epoch will be, before it begins.

    Attributes:
        batches: Batches, which is updates.
        padding_percent: Share of the positions of both sides that are padding.
        largest_source: Positions of the batch with most of them, in tokens.
        largest_target: Positions of the batch with most of them, in tokens.
        buckets: With `bucket_boundaries`, each bucket; else none.
    """

    batches: int
    padding_percent: float
    largest_source: int
    largest_target: int
    buckets: tuple[Bucket, ...]


class Epoch:
    """One passage through the training pairs.

    The order depends on `seed` and `epoch` alone: the number of pairs that were trained
    on is the whole position, and pools before it are not even read.

    Args:
        corpus: The pairs.
        rows: int64, `[pairs]`; rows of the corpus to train on.
        batching: How to group them.
        seed: Not negative.
        epoch: Epochs finished before this one.

    Raises:
        UserError: settings that make no batches, or a pair longer than the last
            boundary.
    """

    def __init__(
        self,
        corpus: Corpus,
        rows: np.ndarray,
        batching: BatchingConfig,
        seed: int,
        epoch: int,
    ) -> None:
        check_batching(batching)
        _check_lengths(corpus, rows, batching)
        self._corpus = corpus
        self._batching = batching
        self._seeds = seed, epoch
        self._order = _generator(seed, epoch).permutation(rows)
        self._pool_pairs = _pool_pairs(corpus, batching)
        self._pools = math.ceil(len(rows) / self._pool_pairs)

    def batches(self, examples_done: int = 0) -> Iterator[PlannedBatch]:
        """Yields the batches that follow after so many pairs.

        Args:
            examples_done: Pairs of the batches before. Between two batches the rest of
                the epoch follows exactly, under the settings that it began with.

        Yields:
            Batches of rows of the corpus; each row once an epoch.
        """
        first_pool, skipped = divmod(examples_done, self._pool_pairs)
        for pool in range(first_pool, self._pools):
            planned = self._pool(pool)
            for place in _generator(*self._seeds, pool + 1).permutation(len(planned)):
                if skipped <= 0:
                    yield planned[place]
                else:
                    skipped -= len(planned[place].pairs)

    def plan(self) -> EpochPlan:
        """Counts batches and padding.

        Exact up to 64 pools; of more, 64 pools are planned and stand for all.
        """
        looked_at = np.linspace(0, self._pools - 1, min(self._pools, _POOLS_PLANNED))
        planned = [batch for pool in looked_at for batch in self._pool(int(pool))]
        pairs = np.concatenate([batch.pairs for batch in planned])
        tokens = int(
            (self._corpus.source.lengths(pairs) + 1).sum()
            + (self._corpus.target.lengths(pairs) + 1).sum()
        )
        source = [batch.rows * batch.source_length for batch in planned]
        target = [batch.rows * batch.target_length for batch in planned]
        scale = len(self._order) / len(pairs)
        return EpochPlan(
            batches=math.ceil(len(planned) * scale),
            padding_percent=100 - 100 * tokens / (sum(source) + sum(target)),
            largest_source=max(source),
            largest_target=max(target),
            buckets=_buckets(planned, scale)
            if self._batching.bucket_boundaries
            else (),
        )

    def _pool(self, pool: int) -> list[PlannedBatch]:
        start = pool * self._pool_pairs
        rows = self._order[start : start + self._pool_pairs]
        return row_batches(self._corpus, rows, self._batching)


def row_batches(
    corpus: Corpus, rows: np.ndarray, batching: BatchingConfig
) -> list[PlannedBatch]:
    """Cuts rows of a corpus into batches, shortest first; every row is in exactly one.

    Args:
        corpus: The pairs.
        rows: int64, `[pairs]`; rows of the corpus.
        batching: How to group them.

    Returns:
        Batches whose `pairs` are rows of the corpus.
    """
    # The end of a sentence is one more position.
    planned = plan_batches(
        corpus.source.lengths(rows) + 1, corpus.target.lengths(rows) + 1, batching
    )
    return [batch._replace(pairs=rows[batch.pairs]) for batch in planned]


def _check_lengths(corpus: Corpus, rows: np.ndarray, batching: BatchingConfig) -> None:
    if not batching.bucket_boundaries:
        return
    last = batching.bucket_boundaries[-1]
    lengths = np.maximum(corpus.source.lengths(rows), corpus.target.lengths(rows)) + 1
    longest = int(np.argmax(lengths))
    if lengths[longest] > last:
        line = corpus.line_numbers[rows[longest]]
        raise UserError(
            f"{corpus.statistics.source.path}:{line}: the pair has {lengths[longest]} "
            "tokens, end of sentence included, but the last of bucket_boundaries is "
            f"{last}; set max_source_length and max_target_length to {last - 1} or "
            "less, or add a boundary"
        )


def _generator(*seeds: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(seeds))


def _pool_pairs(corpus: Corpus, batching: BatchingConfig) -> int:
    pairs = batching.pool_batches * batching.batch_size
    if batching.batch_by == "tokens":
        # A pair has so many tokens on average, the ends of its sentences included.
        tokens = corpus.source.tokens + corpus.target.tokens + 2 * len(corpus)
        pairs = pairs * len(corpus) // tokens
    return max(pairs, 1)


def _buckets(planned: list[PlannedBatch], scale: float) -> tuple[Bucket, ...]:
    buckets = []
    for length in sorted({batch.source_length for batch in planned}):
        members = [batch for batch in planned if batch.source_length == length]
        rows = sum(batch.rows for batch in members)
        pairs = sum(len(batch.pairs) for batch in members)
        buckets.append(Bucket(length, round(len(members) * scale), 100 * pairs / rows))
    return tuple(buckets)
