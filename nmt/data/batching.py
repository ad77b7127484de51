"""Cuts shuffled sentence pairs into batches of about equal length; NumPy only.

Pairs are shuffled, cut into pools of many batches, and sorted by length inside each
pool; the batches of a pool are shuffled again. With pools of 128 batches some 6 % of a
batch is padding, against half of it in random batches. The LSTM paper (section 3.4)
groups pairs of about equal length for the same reason.
"""

import itertools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from nmt.config import BatchingConfig
from nmt.errors import UserError


class PlannedBatch(NamedTuple):
    """The pairs of one batch and the shape that they are padded to.

    Attributes:
        pairs: int64, `[pairs]`; places among what was planned.
        rows: Rows of the batch, at least the pairs: the others are all padding.
        source_length: Positions that the source is padded to, end of sentence included.
        target_length: Positions that the target is padded to, end of sentence included.
    """

    pairs: np.ndarray
    rows: int
    source_length: int
    target_length: int


def check_batching(config: BatchingConfig) -> None:
    """Refuses settings that make no batches.

    Raises:
        UserError: a size is not positive, `batch_by` is unknown, or the boundaries do
            not ascend.
    """
    if config.batch_by not in ("sentences", "tokens"):
        raise UserError(f"batch_by {config.batch_by!r}: choose sentences or tokens")
    if config.batch_size < 1 or config.pool_batches < 1:
        raise UserError(
            f"batch_size {config.batch_size} and pool_batches {config.pool_batches}: "
            "both must be at least 1"
        )
    boundaries = (0, *config.bucket_boundaries)
    if any(low >= high for low, high in itertools.pairwise(boundaries)):
        raise UserError(
            f"bucket_boundaries {config.bucket_boundaries}: give ascending lengths"
        )


def plan_batches(
    source_lengths: np.ndarray, target_lengths: np.ndarray, config: BatchingConfig
) -> list[PlannedBatch]:
    """Cuts a pool into batches, shortest first; every pair is in exactly one.

    Args:
        source_lengths: int, `[pool]`, in tokens, end of sentence included.
        target_lengths: int, `[pool]`, in tokens, end of sentence included.
        config: With `bucket_boundaries`, all batches of a bucket have the same shape,
            and pairs longer than the last boundary go to buckets at its multiples.
            Without, a batch is as long as its longest pair. By tokens, a pair that
            alone has more than `batch_size` is a batch alone.
    """
    if config.bucket_boundaries:
        return list(_bucket_batches(source_lengths, target_lengths, config))
    order = np.lexsort((target_lengths, source_lengths))
    if config.batch_by == "tokens":
        cuts = _token_cuts(source_lengths[order], target_lengths[order], config)
    else:
        cuts = list(range(config.batch_size, len(order), config.batch_size))
    return [
        PlannedBatch(
            pairs,
            len(pairs),
            int(source_lengths[pairs].max()),
            int(target_lengths[pairs].max()),
        )
        for pairs in np.split(order, cuts)
        if len(pairs)
    ]


def bucket_lengths(lengths: np.ndarray, boundaries: tuple[int, ...]) -> np.ndarray:
    """Returns the boundary that each length is padded to.

    Args:
        lengths: int, `[pool]`, in tokens.
        boundaries: Ascending, in tokens.

    Returns:
        int64, `[pool]`: the first boundary that is not less, else the next multiple of
        the last one.

    Example:
        >>> bucket_lengths(np.array([3, 4, 5, 9, 17]), (4, 8)).tolist()
        [4, 4, 8, 16, 24]
    """
    ends = np.asarray(boundaries)
    places = np.searchsorted(ends, lengths)
    multiples = -(-lengths // ends[-1]) * ends[-1]
    return np.where(
        places < len(ends), ends[np.minimum(places, len(ends) - 1)], multiples
    )


def _bucket_batches(
    source_lengths: np.ndarray, target_lengths: np.ndarray, config: BatchingConfig
) -> Iterator[PlannedBatch]:
    longer = np.maximum(source_lengths, target_lengths)
    buckets = bucket_lengths(longer, config.bucket_boundaries)
    for length in np.unique(buckets).tolist():
        rows = config.batch_size
        if config.batch_by == "tokens":
            rows = max(rows // (2 * length), 1)
        members = np.flatnonzero(buckets == length)
        for pairs in np.split(members, np.arange(rows, len(members), rows)):
            yield PlannedBatch(pairs, rows, length, length)


def _token_cuts(
    source_lengths: np.ndarray, target_lengths: np.ndarray, config: BatchingConfig
) -> list[int]:
    cuts = []
    start = target_length = 0
    for place, (source, target) in enumerate(
        zip(source_lengths.tolist(), target_lengths.tolist(), strict=True)
    ):
        # Sources ascend, so that this one is the longest of its batch so far.
        target_length = max(target_length, target)
        if (place + 1 - start) * (source + target_length) > config.batch_size:
            if place > start:
                cuts.append(place)
            start, target_length = place, target
    return cuts
