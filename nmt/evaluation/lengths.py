"""Groups of lines by the length of their sources."""

import dataclasses
import re
from collections.abc import Sequence
from typing import NamedTuple

from nmt.errors import UserError
from nmt.evaluation.score import Score

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

    def __str__(self) -> str:
        return str(LengthRange(self.shortest, self.longest))


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


def group_by_length(
    sources: Sequence[str], boundaries: Sequence[int] | None
) -> list[tuple[LengthRange, list[bool]]]:
    """Returns ranges of lengths, and for each which of the lines are in it.

    Args:
        sources: Lines of tokens with white space between.
        boundaries: As in `length_ranges`; None: the usual ones, as far as there are
            lines so long.
    """
    lengths = [len(source.split()) for source in sources]
    if boundaries is None:
        longest = max(lengths, default=0)
        boundaries = [each for each in USUAL_BOUNDARIES if each < longest]
    return [
        (each, [each.holds(length) for length in lengths])
        for each in length_ranges(boundaries, lengths)
    ]
