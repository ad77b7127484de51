"""Scores of a file, whole and by the length of the source."""

import dataclasses
import itertools
import json
from collections.abc import Sequence

from nmt.config import EvaluationConfig
from nmt.evaluation.metrics import score_alternatives
from nmt.evaluation.references import ScoredLines
from nmt.evaluation.score import Score

# Words of the shortest source in each row of the table by length.
_LENGTH_STARTS = (0, 11, 21, 31, 41, 51, 61)


@dataclasses.dataclass(frozen=True)
class LengthBucket:
    """Scores of the lines whose sources have a certain length.

    Attributes:
        shortest: Fewest words of a source.
        longest: Most words of a source.
        lines: How many they are.
        scores: One a metric.
    """

    shortest: int
    longest: int
    lines: int
    scores: tuple[Score, ...]


@dataclasses.dataclass(frozen=True)
class EvaluationReport:
    """What `nmt-evaluate` says.

    Attributes:
        lines: Lines scored.
        scores: One a metric.
        by_source_length: Shortest first; empty where sources are not known or all of
            about one length.
    """

    lines: int
    scores: tuple[Score, ...]
    by_source_length: tuple[LengthBucket, ...] = ()

    def json(self) -> str:
        """Returns the report as one indented JSON object."""
        return json.dumps(dataclasses.asdict(self), indent=2) + "\n"

    def text(self) -> str:
        """Returns the report for a reader, a line a score and a table by length."""
        lines = []
        for scored in self.scores:
            lines.append(f"{scored.name} = {scored.value:.2f}  {scored.signature}")
            if scored.details:
                lines.append(f"    {scored.details}")
        lines.append(f"{self.lines:,} lines")
        if self.by_source_length:
            names = "".join(f"{scored.name:>18}" for scored in self.scores)
            lines += ["", f"{'source words':<14}{'lines':>8}{names}"]
        for bucket in self.by_source_length:
            values = "".join(f"{scored.value:>18.2f}" for scored in bucket.scores)
            words = f"{bucket.shortest}-{bucket.longest}"
            lines.append(f"{words:<14}{bucket.lines:>8,}{values}")
        return "\n".join(lines) + "\n"


def evaluate(
    lines: ScoredLines, metrics: Sequence[str], config: EvaluationConfig
) -> EvaluationReport:
    """Scores lines by every metric, and again by the length of their sources.

    Args:
        lines: Hypotheses, references and, for the table by length, sources.
        metrics: Names of metrics.
        config: Tokenizer and case.

    Raises:
        UserError: a metric is unknown, or there are no lines.
    """
    return EvaluationReport(
        lines=len(lines.hypotheses),
        scores=_scores(lines, metrics, config),
        by_source_length=_by_source_length(lines, metrics, config),
    )


def _scores(
    lines: ScoredLines, metrics: Sequence[str], config: EvaluationConfig
) -> tuple[Score, ...]:
    return tuple(
        score_alternatives(
            metric, lines.hypotheses, lines.references, config, lines.sources
        )
        for metric in metrics
    )


def _by_source_length(
    lines: ScoredLines, metrics: Sequence[str], config: EvaluationConfig
) -> tuple[LengthBucket, ...]:
    if lines.sources is None:
        return ()
    lengths = [len(source.split()) for source in lines.sources]
    buckets = []
    ends = (*_LENGTH_STARTS[1:], max(lengths, default=0) + 1)
    for start, end in zip(_LENGTH_STARTS, ends, strict=True):
        inside = [start <= length < end for length in lengths]
        if not any(inside):
            continue
        within = list(itertools.compress(lengths, inside))
        scores = _scores(lines.select(inside), metrics, config)
        buckets.append(LengthBucket(min(within), max(within), sum(inside), scores))
    return tuple(buckets) if len(buckets) > 1 else ()
