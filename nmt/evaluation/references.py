"""Files of hypotheses, references and sources, line against line."""

import itertools
from collections.abc import Sequence
from typing import NamedTuple

from nmt.data.text import read_lines
from nmt.errors import UserError


class ScoredLines(NamedTuple):
    """The lines to be scored.

    Attributes:
        hypotheses: What a system made.
        references: For each hypothesis one or more right lines.
        sources: What each hypothesis was made from, where that is known.
        baseline: What another system made of the same, where it is to be compared.
    """

    hypotheses: list[str]
    references: list[tuple[str, ...]]
    sources: list[str] | None
    baseline: list[str] | None = None

    def select(self, chosen: Sequence[bool]) -> "ScoredLines":
        """Returns the lines at which `chosen` is true."""
        sources, baseline = self.sources, self.baseline
        return ScoredLines(
            list(itertools.compress(self.hypotheses, chosen)),
            list(itertools.compress(self.references, chosen)),
            None if sources is None else list(itertools.compress(sources, chosen)),
            None if baseline is None else list(itertools.compress(baseline, chosen)),
        )


def read_parallel(hypotheses: str, reference: str, source: str = "") -> ScoredLines:
    """Reads files in which equal lines belong together.

    Args:
        hypotheses: Path.
        reference: Path.
        source: Path, or empty if it is not known.

    Raises:
        UserError: a file cannot be read, or has more lines than another.
    """
    made, right = list(read_lines(hypotheses)), list(read_lines(reference))
    _check_counts(hypotheses, made, reference, right)
    sources = None
    if source:
        sources = list(read_lines(source))
        _check_counts(hypotheses, made, source, sources)
    return ScoredLines(made, [(line,) for line in right], sources)


def read_with_table(hypotheses: str, table: str, source: str = "") -> ScoredLines:
    """Reads hypotheses and a table of all that is right for each source line.

    Args:
        hypotheses: Path.
        table: Path; a row is a source, a tab, and one right line for it. A source with
            several right lines has several rows.
        source: Path of the source of each hypothesis. Empty: each hypothesis belongs
            to one row of the table.

    Raises:
        UserError: a file cannot be read, has more lines than another, a row has no tab,
            or a source is not in the table.
    """
    rows = [_parse_row(table, *row) for row in enumerate(read_lines(table), start=1)]
    right: dict[str, tuple[str, ...]] = {}
    for row_source, line in rows:
        right[row_source] = (*right.get(row_source, ()), line)
    made = list(read_lines(hypotheses))
    sources = list(read_lines(source)) if source else [first for first, _ in rows]
    _check_counts(hypotheses, made, source or table, sources)
    for number, line in enumerate(sources, start=1):
        if line not in right:
            raise UserError(f"{source}:{number}: {line!r} is not in {table}")
    return ScoredLines(made, [right[line] for line in sources], sources)


def read_baseline(lines: ScoredLines, hypotheses: str, baseline: str) -> ScoredLines:
    """Adds what another system made, line by line.

    Args:
        lines: What was read already.
        hypotheses: Path of their hypotheses.
        baseline: Path of the other system's.

    Raises:
        UserError: the file cannot be read, or the line counts differ.
    """
    made = list(read_lines(baseline))
    _check_counts(hypotheses, lines.hypotheses, baseline, made)
    return lines._replace(baseline=made)


def _parse_row(table: str, number: int, row: str) -> tuple[str, str]:
    source, tab, line = row.partition("\t")
    if not tab:
        raise UserError(f"{table}:{number}: no tab between source and reference")
    return source, line


def _check_counts(
    first: str, first_lines: list[str], second: str, second_lines: list[str]
) -> None:
    if len(first_lines) != len(second_lines):
        raise UserError(
            f"{first} has {len(first_lines):,} lines and {second} "
            f"{len(second_lines):,}; line n of one belongs to line n of the other"
        )
