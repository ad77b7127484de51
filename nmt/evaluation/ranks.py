"""Groups of lines by how rare the words of their sources are."""

import dataclasses
import itertools
from collections.abc import Sequence

from nmt.evaluation.score import Score


@dataclasses.dataclass(frozen=True)
class RankGroup:
    """Scores of the lines whose sources have words of a certain rarity.

    Attributes:
        lowest: Least average rank of a source's words.
        highest: Greatest average rank.
        lines: How many lines there are.
        scores: One a metric.
    """

    lowest: float
    highest: float
    lines: int
    scores: tuple[Score, ...]


@dataclasses.dataclass(frozen=True)
class RankTable:
    """Scores by the average frequency rank of a source's words.

    Attributes:
        vocabulary: The file of the ranks.
        words: Words in all sources.
        unknown_words: Those of them that are not in the vocabulary.
        unknown_rank: What counts as their rank.
        groups: Commonest words first.
    """

    vocabulary: str
    words: int
    unknown_words: int
    unknown_rank: int
    groups: tuple[RankGroup, ...]


def average_rank(ranks: Sequence[int]) -> float:
    """Returns the mean rank of the words of a line; 0 if it has none."""
    return sum(ranks) / len(ranks) if ranks else 0.0


def equal_groups(values: Sequence[float], groups: int) -> list[list[bool]]:
    """Cuts lines, sorted by a value, into groups of about equal size.

    Lines of equal value stay together, so that groups may differ in size, and may be
    fewer.

    Args:
        values: One a line.
        groups: How many, at least one.

    Returns:
        For each group, lowest values first, which of the lines are in it; all lines are
        in one.

    Example:
        >>> equal_groups([0.5, 9.0, 0.1, 7.0], 2)
        [[True, False, True, False], [False, True, False, True]]
    """
    order = sorted(values)
    group_of: dict[float, int] = {}
    start = 0
    for value, equal in itertools.groupby(order):
        size = len(list(equal))
        # The group in which the middle of the equal ones falls.
        group_of[value] = int((start + size / 2) * groups / len(values))
        start += size
    return [
        [group_of[value] == group for value in values]
        for group in sorted(set(group_of.values()))
    ]
