"""Scores of a file, whole and by the length of the source."""

import dataclasses
import json
from collections.abc import Sequence

from nmt.config import EvaluationConfig
from nmt.evaluation.lengths import (
    USUAL_BOUNDARIES,
    LengthGroup,
    length_ranges,
    length_tables,
)
from nmt.evaluation.metrics import score_alternatives
from nmt.evaluation.references import ScoredLines
from nmt.evaluation.score import ComparedScore, Score, compare


@dataclasses.dataclass(frozen=True)
class EvaluationReport:
    """What `nmt-evaluate` says.

    Attributes:
        lines: Lines scored.
        scores: One a metric; a `ComparedScore` where there is a baseline.
        by_source_length: Shortest first; empty where sources are not known, or, unless
            it was asked for, all of about one length.
    """

    lines: int
    scores: tuple[Score, ...]
    by_source_length: tuple[LengthGroup, ...] = ()

    def json(self) -> str:
        """Returns the report as one indented JSON object."""
        return json.dumps(dataclasses.asdict(self), indent=2) + "\n"

    def text(self) -> str:
        """Returns the report for a reader, a line a score and tables by length."""
        lines = []
        for scored in self.scores:
            lines += _score_lines(scored)
        lines.append(f"{self.lines:,} lines")
        return "\n".join([*lines, *length_tables(self.by_source_length)]) + "\n"


def _score_lines(scored: Score) -> list[str]:
    value, baseline_details = f"{scored.value:.2f}", ""
    if isinstance(scored, ComparedScore):
        value += (
            f", baseline {scored.baseline.value:.2f}, "
            f"difference {scored.signed_difference}"
        )
        baseline_details = scored.baseline.details
    lines = [f"{scored.name} = {value}  {scored.signature}"]
    if scored.details:
        lines.append(f"    {scored.details}")
    if baseline_details:
        lines.append(f"    baseline: {baseline_details}")
    return lines


def evaluate(
    lines: ScoredLines,
    metrics: Sequence[str],
    config: EvaluationConfig,
    boundaries: Sequence[int] | None = None,
) -> EvaluationReport:
    """Scores lines by every metric, and again by the length of their sources.

    Args:
        lines: Hypotheses, references, for the table by length sources, and for a
            comparison a baseline.
        metrics: Names of metrics.
        config: Tokenizer and case.
        boundaries: The longest sources of all groups but the last, in tokens,
            ascending. None: the usual ones as far as there are sources so long, and no
            table if all lines are in one group.

    Raises:
        UserError: a metric is unknown, or there are no lines.
    """
    return EvaluationReport(
        lines=len(lines.hypotheses),
        scores=_scores(lines, metrics, config),
        by_source_length=_by_source_length(lines, metrics, config, boundaries),
    )


def _scores(
    lines: ScoredLines, metrics: Sequence[str], config: EvaluationConfig
) -> tuple[Score, ...]:
    def score(metric: str, hypotheses: Sequence[str]) -> Score:
        return score_alternatives(
            metric, hypotheses, lines.references, config, lines.sources
        )

    scores = [score(metric, lines.hypotheses) for metric in metrics]
    if lines.baseline is None:
        return tuple(scores)
    baseline = [score(metric, lines.baseline) for metric in metrics]
    return tuple(map(compare, scores, baseline))


def _by_source_length(
    lines: ScoredLines,
    metrics: Sequence[str],
    config: EvaluationConfig,
    boundaries: Sequence[int] | None,
) -> tuple[LengthGroup, ...]:
    if lines.sources is None:
        return ()
    lengths = [len(source.split()) for source in lines.sources]
    asked = boundaries is not None
    if boundaries is None:
        boundaries = [
            each for each in USUAL_BOUNDARIES if each < max(lengths, default=0)
        ]
    groups = []
    for length_range in length_ranges(boundaries, lengths):
        inside = [length_range.holds(length) for length in lengths]
        scores = _scores(lines.select(inside), metrics, config) if any(inside) else ()
        groups.append(LengthGroup(*length_range, sum(inside), scores))
    several = sum(group.lines > 0 for group in groups) > 1
    return tuple(groups) if asked or several else ()
