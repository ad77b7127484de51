"""Tables of the scores of groups of lines, for a reader."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from nmt.evaluation.score import ComparedScore, Score

# The least widths of a label, in the table and before details.
_LABEL_WIDTH, _DETAIL_WIDTH = 14, 10


class Row(NamedTuple):
    """A group of lines.

    Attributes:
        label: What they have in common.
        lines: How many there are.
        scores: One a metric; none where there are no lines.
    """

    label: str
    lines: int
    scores: tuple[Score, ...]


def score_tables(heading: str, rows: Sequence[Row]) -> Iterator[str]:
    """Yields the lines of a table a metric, each followed by the metric's details.

    Args:
        heading: Of the column of labels.
        rows: The groups.
    """
    metrics = max((row.scores for row in rows), key=len, default=())
    longest = max((len(row.label) for row in rows), default=0)
    label_width = max(_LABEL_WIDTH, longest + 1)
    detail_width = max(_DETAIL_WIDTH, longest + 2)
    for i, metric in enumerate(metrics):
        names = [metric.name]
        if isinstance(metric, ComparedScore):
            names += ["baseline", "difference"]
        yield ""
        yield f"{heading:<{label_width}}" + _cells("lines", names)
        for row in rows:
            figures = _figures(row.scores[i]) if row.lines else ["-"] * len(names)
            yield f"{row.label:<{label_width}}" + _cells(f"{row.lines:,}", figures)
        for row in rows:
            if row.lines:
                yield from _details(row.label, row.scores[i], detail_width)


def _cells(lines: str, figures: Sequence[str]) -> str:
    return f"{lines:>8}" + "".join(f"{figure:>18}" for figure in figures)


def _figures(score: Score) -> list[str]:
    figures = [f"{score.value:.2f}"]
    if isinstance(score, ComparedScore):
        figures += [f"{score.baseline.value:.2f}", score.signed_difference]
    return figures


def _details(label: str, score: Score, width: int) -> Iterator[str]:
    if score.details:
        yield f"    {label:<{width}}{score.details}"
    if isinstance(score, ComparedScore) and score.baseline.details:
        yield f"    {'':<{width}}baseline: {score.baseline.details}"
