"""Scores a file of hypotheses: what `nmt-evaluate` does."""

from collections.abc import Sequence

from absl import logging

from nmt.config import EvaluationConfig
from nmt.data.text import open_output
from nmt.errors import UserError
from nmt.evaluation.bleu import looks_tokenized
from nmt.evaluation.bootstrap import Bootstrap
from nmt.evaluation.lengths import group_by_length, parse_boundaries
from nmt.evaluation.metrics import ERROR_RATES, TEXT_METRICS, check_metric
from nmt.evaluation.plot import check_plot, draw_lengths
from nmt.evaluation.references import (
    ScoredLines,
    read_baseline,
    read_parallel,
    read_with_table,
)
from nmt.evaluation.report import EvaluationReport
from nmt.evaluation.request import EvaluationRequest, check_needs
from nmt.evaluation.scoring import Breakdown, evaluate
from nmt.evaluation.words import read_ranked_words


def evaluate_files(request: EvaluationRequest) -> EvaluationReport:
    """Scores the hypotheses and writes the report.

    Raises:
        UserError: a file cannot be used, files have unequal line counts (both are
            named), or the request makes no sense.
    """
    metrics = request.metrics or tuple(
        ERROR_RATES if request.reference_tsv else TEXT_METRICS
    )
    for metric in metrics:
        check_metric(metric)
    bootstrap = Bootstrap(request.bootstrap_samples, request.bootstrap_seed)
    if request.plot:
        check_plot(request.plot)
    check_needs(request)
    breakdown = _breakdown(request)
    lines = _read(request)
    _check_groups(request, lines, breakdown)
    if "bleu" in metrics and request.bleu_tokenizer == "13a":
        _warn_of_tokens(request.hypotheses, lines.hypotheses)
        _warn_of_tokens(request.baseline, lines.baseline or [])
    config = EvaluationConfig(
        bleu_tokenizer=request.bleu_tokenizer, lowercase=request.lowercase
    )
    report = evaluate(lines, metrics, config, breakdown, bootstrap)
    with open_output(request.output) as output:
        output.write(report.json() if request.format == "json" else report.text())
    if request.plot:
        names = [name for name in (request.hypotheses, request.baseline) if name]
        draw_lengths(request.plot, report.by_source_length, names)
    return report


def _breakdown(request: EvaluationRequest) -> Breakdown:
    boundaries = parse_boundaries(request.by_length) if request.by_length else None
    if not request.source_vocabulary:
        return Breakdown(boundaries)
    source_words = read_ranked_words(request.source_vocabulary)
    known_words = None
    if request.without_unknown:
        known_words = source_words, read_ranked_words(request.target_vocabulary)
    return Breakdown(
        boundaries,
        rank_words=source_words if request.by_rank else None,
        rank_groups=request.by_rank,
        known_words=known_words,
    )


def _check_groups(
    request: EvaluationRequest, lines: ScoredLines, breakdown: Breakdown
) -> None:
    count = len(lines.hypotheses)
    if request.by_rank > count:
        raise UserError(f"--by_rank={request.by_rank}: there are only {count:,} lines")
    if not (request.plot and count):
        return
    groups = group_by_length(lines.sources or [], breakdown.boundaries)
    filled = [length_range for length_range, inside in groups if any(inside)]
    if len(filled) < 2:
        raise UserError(
            f"--plot={request.plot}: one group of lengths is no line to draw; all "
            f"{count:,} sources have {' or '.join(map(str, filled)) or 'no'} tokens; "
            "give other groups by --by_length"
        )


def _read(request: EvaluationRequest) -> ScoredLines:
    if bool(request.reference) == bool(request.reference_tsv):
        raise UserError("give either --reference or --reference_tsv")
    made, source = request.hypotheses, request.source
    if request.reference:
        lines = read_parallel(made, request.reference, source)
    else:
        lines = read_with_table(made, request.reference_tsv, source)
    return read_baseline(lines, made, request.baseline) if request.baseline else lines


def _warn_of_tokens(path: str, lines: Sequence[str]) -> None:
    if looks_tokenized(lines):
        logging.warning(
            f"{path} looks tokenized, but BLEU tokenizes it again: score plain text, "
            "or use --bleu_tokenizer=none and say so"
        )
