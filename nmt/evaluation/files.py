"""Scores a file of hypotheses: what `nmt-evaluate` does."""

import dataclasses
from collections.abc import Sequence

from absl import logging

from nmt.config import EvaluationConfig
from nmt.data.text import open_output
from nmt.errors import UserError
from nmt.evaluation.bleu import looks_tokenized
from nmt.evaluation.lengths import parse_boundaries
from nmt.evaluation.metrics import ERROR_RATES, TEXT_METRICS, check_metric
from nmt.evaluation.references import (
    ScoredLines,
    read_baseline,
    read_parallel,
    read_with_table,
)
from nmt.evaluation.report import EvaluationReport, evaluate


@dataclasses.dataclass(frozen=True)
class EvaluationRequest:
    """What is to be scored, and how. Empty names stand for what there is not.

    Attributes:
        hypotheses: File of what a system made, a line each.
        reference: File of what is right, a line each.
        reference_tsv: Instead of it: rows of a source, a tab, and what is right for it.
        source: File of what each hypothesis was made from.
        baseline: File of what another system made of the same, to be compared with.
        by_length: The longest sources of all groups but the last of the table by
            length, in tokens with commas between, or `auto`.
        metrics: Names of metrics; none: those usual for the kind of reference.
        bleu_tokenizer: sacrebleu's name of it.
        lowercase: Whether case is ignored.
        format: `text` or `json`.
        output: File for the report; `-` is standard output.
    """

    hypotheses: str
    reference: str = ""
    reference_tsv: str = ""
    source: str = ""
    baseline: str = ""
    by_length: str = ""
    metrics: tuple[str, ...] = ()
    bleu_tokenizer: str = "13a"
    lowercase: bool = False
    format: str = "text"
    output: str = "-"


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
    boundaries = _boundaries(request)
    lines = _read(request)
    if "bleu" in metrics and request.bleu_tokenizer == "13a":
        _warn_of_tokens(request.hypotheses, lines.hypotheses)
        _warn_of_tokens(request.baseline, lines.baseline or [])
    config = EvaluationConfig(
        bleu_tokenizer=request.bleu_tokenizer, lowercase=request.lowercase
    )
    report = evaluate(lines, metrics, config, boundaries)
    with open_output(request.output) as output:
        output.write(report.json() if request.format == "json" else report.text())
    return report


def _boundaries(request: EvaluationRequest) -> tuple[int, ...] | None:
    if not request.by_length:
        return None
    if not (request.source or request.reference_tsv):
        raise UserError(
            "--by_length needs --source: lines are grouped by their source's tokens"
        )
    return parse_boundaries(request.by_length)


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
