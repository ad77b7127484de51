"""Which lines are searched together, and how long their translations may be."""

from collections.abc import Iterator

import numpy as np

from nmt.config import DecodingConfig

# Padded source tokens that a batch may have for each of the sentences it may have: a
# very long line is translated in a batch of its own.
_TOKENS_A_SENTENCE = 50


def length_limits(lengths: np.ndarray, config: DecodingConfig) -> np.ndarray:
    """Returns the most tokens that each translation may have.

    Args:
        lengths: int, `[lines]`, source tokens.
        config: The factor and the offset.

    Returns:
        int32, `[lines]`, at least 1; the end of sentence counts.

    Example:
        >>> length_limits(np.array([0, 3]), DecodingConfig()).tolist()
        [10, 16]
    """
    limits = config.max_length_factor * lengths + config.max_length_offset
    return np.maximum(limits, 1).astype(np.int32)


def plan_batches(lengths: np.ndarray, batch_size: int) -> Iterator[np.ndarray]:
    """Groups lines of about equal length; blank lines are in no batch.

    Args:
        lengths: int, `[lines]`, source tokens.
        batch_size: Most lines of a batch. A batch of more than 50 padded tokens for
            each of them has fewer lines.

    Yields:
        int, `[batch]`: places of the lines, shortest first.

    Example:
        >>> [batch.tolist() for batch in plan_batches(np.array([7, 0, 3, 999, 2]), 2)]
        [[4, 2], [0], [3]]
    """
    batch: list[int] = []
    for place in np.argsort(lengths, kind="stable").tolist():
        if not lengths[place]:
            continue
        # The longest line of the batch so far.
        padded = (len(batch) + 1) * lengths[place]
        full = len(batch) == batch_size or padded > batch_size * _TOKENS_A_SENTENCE
        if batch and full:
            yield np.array(batch)
            batch = []
        batch.append(place)
    if batch:
        yield np.array(batch)
