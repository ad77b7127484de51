"""The metrics by name, and which of them make one item of equal sources."""

from collections.abc import Callable, Sequence

from nmt.config import EvaluationConfig
from nmt.errors import UserError
from nmt.evaluation.bleu import bleu_measure
from nmt.evaluation.chrf import chrf_measure
from nmt.evaluation.error_rate import phone_error_rate_measure, word_error_rate_measure
from nmt.evaluation.measure import CountedCallback, LineStatistics, Measure
from nmt.evaluation.score import Score
from nmt.evaluation.ter import ter_measure

TEXT_METRICS: dict[str, Callable[[EvaluationConfig], Measure]] = {
    "bleu": bleu_measure,
    "chrf": chrf_measure,
    "ter": ter_measure,
}
ERROR_RATES: dict[str, Callable[[EvaluationConfig], Measure]] = {
    "word_error_rate": word_error_rate_measure,
    "phone_error_rate": phone_error_rate_measure,
}
LOWER_IS_BETTER = ("ter", *ERROR_RATES)


def check_metric(name: str) -> None:
    """Refuses a name that is not that of a metric.

    Raises:
        UserError: there is no such metric.
    """
    names = (*TEXT_METRICS, *ERROR_RATES)
    if name not in names:
        raise UserError(f"metric {name!r}: choose from {', '.join(names)}")


def score_lines(
    hypotheses: Sequence[str],
    references: Sequence[str],
    config: EvaluationConfig,
    sources: Sequence[str] | None = None,
) -> Score:
    """Scores lines by `config.metric`, each against its one reference.

    Args:
        hypotheses: What a system made, a line each.
        references: What is right, a line each.
        config: Metric, tokenizer and case.
        sources: The input lines. With them, an error rate counts lines of equal source
            as one, for which the reference of any of them is right: the several
            pronunciations of a word.

    Raises:
        UserError: there is no such metric, there are no lines, or unequally many.
    """
    return score_alternatives(
        config.metric,
        hypotheses,
        [(reference,) for reference in references],
        config,
        sources,
    )


def score_alternatives(
    metric: str,
    hypotheses: Sequence[str],
    references: Sequence[tuple[str, ...]],
    config: EvaluationConfig,
    sources: Sequence[str] | None = None,
) -> Score:
    """Scores lines, each against one or more references.

    Args:
        metric: The name of one.
        hypotheses: What a system made, a line each.
        references: For each hypothesis what is right.
        config: Tokenizer and case.
        sources: As in `score_lines`.

    Raises:
        UserError: there is no such metric, there are no lines, or unequally many.
    """
    return count_lines(metric, hypotheses, references, config, sources).score()


def count_lines(
    metric: str,
    hypotheses: Sequence[str],
    references: Sequence[tuple[str, ...]],
    config: EvaluationConfig,
    sources: Sequence[str] | None = None,
    counted: CountedCallback | None = None,
) -> LineStatistics:
    """Counts in each line what a metric makes scores of, for any groups of lines.

    Args:
        metric: The name of one.
        hypotheses: What a system made, a line each.
        references: For each hypothesis what is right.
        config: Tokenizer and case.
        sources: As in `score_lines`.
        counted: Told how many more lines are counted.

    Raises:
        UserError: there is no such metric, there are no lines, or unequally many.
    """
    check_metric(metric)
    for name, lines in (("references", references), ("source lines", sources)):
        if lines is not None and len(lines) != len(hypotheses):
            raise UserError(f"{len(hypotheses):,} hypotheses, {len(lines):,} {name}")
    if not hypotheses:
        raise UserError("there are no lines to score")
    if metric in TEXT_METRICS:
        measure = TEXT_METRICS[metric](config)
        return measure.count(hypotheses, references, counted)
    measure = ERROR_RATES[metric](config)
    if sources is None:
        return measure.count(hypotheses, references, counted)
    merged = _merge_equal_sources(sources, hypotheses, references)
    statistics = measure.count(*merged, counted)
    items = {source: item for item, source in enumerate(dict.fromkeys(sources))}
    return LineStatistics(
        measure, statistics.rows, [items[source] for source in sources]
    )


def _merge_equal_sources(
    sources: Sequence[str],
    hypotheses: Sequence[str],
    references: Sequence[tuple[str, ...]],
) -> tuple[list[str], list[tuple[str, ...]]]:
    """Keeps the first hypothesis of every source and gathers its references."""
    merged: dict[str, tuple[str, tuple[str, ...]]] = {}
    for source, hypothesis, right in zip(sources, hypotheses, references, strict=True):
        first, known = merged.get(source, (hypothesis, ()))
        merged[source] = first, (*known, *right)
    return [first for first, _ in merged.values()], [
        right for _, right in merged.values()
    ]
