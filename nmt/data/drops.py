"""Which pairs training does without, and why."""

import dataclasses
from typing import NamedTuple

import numpy as np

# Lines that are named for each reason.
_LINES_NAMED = 5


class LengthLimits(NamedTuple):
    """Most tokens of each side of a training pair, ends of sentences not counted."""

    source: int
    target: int


@dataclasses.dataclass(frozen=True)
class Dropped:
    """Pairs that are dropped for one reason.

    Attributes:
        reason: Why, in words.
        pairs: How many.
        first_lines: The numbers of the first few lines, from 1.
    """

    reason: str
    pairs: int
    first_lines: tuple[int, ...]


class DropRule:
    """Decides about pairs in the order of their lines, and counts what it drops.

    A pair with an empty side teaches nothing; a very long pair costs the memory of a
    whole batch.

    Args:
        limits: Longer pairs are dropped.

    Example:
        >>> rule = DropRule(LengthLimits(source=3, target=3))
        >>> rule.kept(np.array([2, 0, 4]), np.array([1, 2, 0])).tolist()
        [True, False, False]
        >>> [(one.reason, one.first_lines) for one in rule.dropped()]
        [('empty source', (2,)), ('empty target', (3,))]
    """

    def __init__(self, limits: LengthLimits) -> None:
        self._limits = limits
        self._lines = 0
        # Pairs and first lines by reason; a pair counts for the first reason alone.
        self._pairs: dict[str, int] = {}
        self._first_lines: dict[str, list[int]] = {}

    def kept(
        self, source_lengths: np.ndarray, target_lengths: np.ndarray
    ) -> np.ndarray:
        """Decides about the pairs of the next lines.

        Args:
            source_lengths: int, `[pairs]`, in tokens.
            target_lengths: int, `[pairs]`, in tokens.

        Returns:
            bool, `[pairs]`: whether the pair is kept.
        """
        reasons = {
            "empty source": source_lengths == 0,
            "empty target": target_lengths == 0,
            f"source over {self._limits.source} tokens": (
                source_lengths > self._limits.source
            ),
            f"target over {self._limits.target} tokens": (
                target_lengths > self._limits.target
            ),
        }
        kept = np.ones(len(source_lengths), bool)
        for reason, applies in reasons.items():
            self._count(reason, np.flatnonzero(kept & applies) + self._lines + 1)
            kept &= ~applies
        self._lines += len(kept)
        return kept

    def dropped(self) -> tuple[Dropped, ...]:
        """Returns what was dropped so far, reasons without pairs left out."""
        return tuple(
            Dropped(reason, pairs, tuple(self._first_lines[reason]))
            for reason, pairs in self._pairs.items()
            if pairs
        )

    def _count(self, reason: str, lines: np.ndarray) -> None:
        self._pairs[reason] = self._pairs.get(reason, 0) + len(lines)
        named = self._first_lines.setdefault(reason, [])
        named.extend(lines[: _LINES_NAMED - len(named)].tolist())
