"""The metrics by name, and which of them make one item of equal sources."""

from collections.abc import Callable, Sequence

from nmt.config import EvaluationConfig
from nmt.errors import UserError
from nmt.evaluation.bleu import corpus_bleu
from nmt.evaluation.chrf import corpus_chrf
from nmt.evaluation.error_rate import phone_error_rate, word_error_rate
from nmt.evaluation.score import Score

Metric = Callable[[Sequence[str], Sequence[tuple[str, ...]], EvaluationConfig], Score]

TEXT_METRICS: dict[str, Metric] = {"bleu": corpus_bleu, "chrf": corpus_chrf}
ERROR_RATES: dict[str, Metric] = {
    "word_error_rate": word_error_rate,
    "phone_error_rate": phone_error_rate,
}


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
    check_metric(metric)
    for name, lines in (("references", references), ("source lines", sources)):
        if lines is not None and len(lines) != len(hypotheses):
            raise UserError(f"{len(hypotheses):,} hypotheses, {len(lines):,} {name}")
    if not hypotheses:
        raise UserError("there are no lines to score")
    if metric in TEXT_METRICS:
        return TEXT_METRICS[metric](hypotheses, references, config)
    if sources is not None:
        hypotheses, references = _merge_equal_sources(sources, hypotheses, references)
    return ERROR_RATES[metric](hypotheses, references, config)


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
