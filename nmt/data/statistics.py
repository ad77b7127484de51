"""What was seen in the text of a corpus while it was encoded."""

import dataclasses
from collections import Counter
from typing import Any

import numpy as np
import tensorflow as tf

from nmt.data.drops import Dropped
from nmt.data.token_counts import add_counts

# Unknown tokens that are named.
_UNKNOWN_NAMED = 10
# Percentiles of the length of a line.
PERCENTILES = (50, 90, 99, 100)


@dataclasses.dataclass(frozen=True)
class SideStatistics:
    """One file of a corpus, dropped lines included.

    Attributes:
        path: The file.
        lines: Its lines.
        tokens: Its tokens, ends of sentences not counted.
        unknown: Tokens that have no id of their own.
        commonest_unknown: The commonest of them, each with its occurrences.
        percentiles: Tokens of the lines at each of `PERCENTILES`, by length.
    """

    path: str
    lines: int
    tokens: int
    unknown: int
    commonest_unknown: tuple[tuple[str, int], ...]
    percentiles: tuple[int, ...]

    @property
    def unknown_percent(self) -> float:
        """Share of the tokens that have no id of their own, in percent."""
        return 100 * self.unknown / max(self.tokens, 1)


@dataclasses.dataclass(frozen=True)
class CorpusStatistics:
    """A corpus: its two files and the pairs that were dropped."""

    source: SideStatistics
    target: SideStatistics
    dropped: tuple[Dropped, ...]

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "CorpusStatistics":
        """Undoes `dataclasses.asdict` after a passage through JSON."""
        return cls(
            _side_from_dict(values["source"]),
            _side_from_dict(values["target"]),
            tuple(
                Dropped(one["reason"], one["pairs"], tuple(one["first_lines"]))
                for one in values["dropped"]
            ),
        )


class SideCounter:
    """Gathers the statistics of one file as its lines are encoded.

    Args:
        path: The file.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._unknown: Counter[str] = Counter()
        # Lines of each length, in tokens.
        self._histogram: np.ndarray = np.zeros(1, np.int64)

    def add(self, lengths: np.ndarray, unknown_tokens: tf.Tensor) -> None:
        """Counts some lines.

        Args:
            lengths: int, `[lines]`, in tokens.
            unknown_tokens: string, `[unknown tokens]` of these lines.
        """
        add_counts(self._unknown, unknown_tokens)
        size = max(len(self._histogram), int(lengths.max(initial=0)) + 1)
        histogram = np.bincount(lengths, minlength=size)
        histogram[: len(self._histogram)] += self._histogram
        self._histogram = histogram

    def statistics(self) -> SideStatistics:
        """Returns what was counted so far."""
        lines = int(self._histogram.sum())
        below = np.cumsum(self._histogram)
        return SideStatistics(
            path=self._path,
            lines=lines,
            tokens=int(self._histogram @ np.arange(len(self._histogram))),
            unknown=self._unknown.total(),
            commonest_unknown=tuple(self._unknown.most_common(_UNKNOWN_NAMED)),
            percentiles=tuple(
                int(np.searchsorted(below, lines * percent / 100))
                for percent in PERCENTILES
            ),
        )


def _side_from_dict(values: dict[str, Any]) -> SideStatistics:
    unknown = tuple((token, count) for token, count in values["commonest_unknown"])
    return SideStatistics(
        **{
            **values,
            "commonest_unknown": unknown,
            "percentiles": tuple(values["percentiles"]),
        }
    )
