"""Groups of lines by the length of their sources, and the tables of their scores."""

import dataclasses
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from nmt.errors import UserError
from nmt.evaluation.score import ComparedScore, Score

# Tens up to the 60 words at which figure 2 of Bahdanau et al. (2015) ends.
USUAL_BOUNDARIES = (10, 20, 30, 40, 50, 60)


class LengthRange(NamedTuple):
    """Which lengths a group takes, in tokens of the source between white space.

    Attributes:
        shortest: The least of them.
        longest: The greatest, or None if there is no limit.
    """

    shortest: int
    longest: int | None

    def holds(self, length: int) -> bool:
        """Tells whether the group takes lines of this length."""
        return self.shortest <= length and (
            self.longest is None or length <= self.longest
        )

    def __str__(self) -> str:
        if self.longest is None:
            return f"{self.shortest}+"
        return f"{self.shortest}-{self.longest}"


@dataclasses.dataclass(frozen=True)
class LengthGroup:
    """Scores of the lines whose sources have a certain length.

    Attributes:
        shortest: Fewest tokens of a source that belongs here.
        longest: Most tokens, or None if there is no limit.
        lines: How many lines there are.
        scores: One a metric; none where there are no lines.
    """

    shortest: int
    longest: int | None
    lines: int
    scores: tuple[Score, ...]


def parse_boundaries(by_length: str) -> tuple[int, ...]:
    """Reads the longest lengths of all groups but the last, in tokens.

    Args:
        by_length: Ascending numbers with commas between, or `auto` for the usual ones.

    Raises:
        UserError: they are not numbers above zero, or not in ascending order.

    Example:
        >>> parse_boundaries("10,25")
        (10, 25)
    """
    if by_length == "auto":
        return USUAL_BOUNDARIES
    parts = [part.strip() for part in by_length.split(",")]
    if all(re.fullmatch("[0-9]{1,9}", part) for part in parts):
        boundaries = tuple(int(part) for part in parts)
        if all(a < b for a, b in zip((0, *boundaries), boundaries, strict=False)):
            return boundaries
    raise UserError(
        f"--by_length={by_length}: give numbers of tokens above zero in ascending "
        "order, such as 10,20,30, or auto"
    )


def length_ranges(
    boundaries: Sequence[int], lengths: Sequence[int]
) -> list[LengthRange]:
    """Returns ranges of which exactly one holds each of the lengths.

    Args:
        boundaries: The longest lengths of all ranges but the last, ascending.
        lengths: What is to be grouped. The first range starts at one, or at zero if
            there is an empty line.

    Example:
        >>> [str(each) for each in length_ranges([10, 20], [3, 15])]
        ['1-10', '11-20', '21+']
    """
    starts = [min([1, *lengths]), *(boundary + 1 for boundary in boundaries)]
    return list(map(LengthRange, starts, (*boundaries, None)))


def length_tables(groups: Sequence[LengthGroup]) -> Iterator[str]:
    """Yields the lines of a table a metric, each followed by the metric's details."""
    metrics = max((group.scores for group in groups), key=len, default=())
    for i, metric in enumerate(metrics):
        names = [metric.name]
        if isinstance(metric, ComparedScore):
            names += ["baseline", "difference"]
        yield ""
        yield _row("source tokens", "lines", names)
        for group in groups:
            figures = _figures(group.scores[i]) if group.lines else ["-"] * len(names)
            yield _row(_label(group), f"{group.lines:,}", figures)
        for group in groups:
            if group.lines:
                yield from _details(_label(group), group.scores[i])


def _label(group: LengthGroup) -> str:
    return str(LengthRange(group.shortest, group.longest))


def _row(tokens: str, lines: str, figures: Sequence[str]) -> str:
    return f"{tokens:<14}{lines:>8}" + "".join(f"{figure:>18}" for figure in figures)


def _figures(score: Score) -> list[str]:
    figures = [f"{score.value:.2f}"]
    if isinstance(score, ComparedScore):
        figures += [f"{score.baseline.value:.2f}", score.signed_difference]
    return figures


def _details(label: str, score: Score) -> Iterator[str]:
    if score.details:
        yield f"    {label:<10}{score.details}"
    if isinstance(score, ComparedScore) and score.baseline.details:
        yield f"    {'':<10}baseline: {score.baseline.details}"
