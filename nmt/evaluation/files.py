"""Scores a file of hypotheses: what `nmt-evaluate` does."""

import dataclasses

from absl import logging

from nmt.config import EvaluationConfig
from nmt.data.text import open_output
from nmt.errors import UserError
from nmt.evaluation.bleu import looks_tokenized
from nmt.evaluation.metrics import ERROR_RATES, TEXT_METRICS, check_metric
from nmt.evaluation.references import ScoredLines, read_parallel, read_with_table
from nmt.evaluation.report import EvaluationReport, evaluate


@dataclasses.dataclass(frozen=True)
class EvaluationRequest:
    """What is to be scored, and how. Empty names stand for what there is not.

    Attributes:
        hypotheses: File of what a system made, a line each.
        reference: File of what is right, a line each.
        reference_tsv: Instead of it: rows of a source, a tab, and what is right for it.
        source: File of what each hypothesis was made from.
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
    lines = _read(request)
    if "bleu" in metrics and request.bleu_tokenizer == "13a":
        _warn_of_tokens(lines)
    config = EvaluationConfig(
        bleu_tokenizer=request.bleu_tokenizer, lowercase=request.lowercase
    )
    report = evaluate(lines, metrics, config)
    with open_output(request.output) as output:
        output.write(report.json() if request.format == "json" else report.text())
    return report


def _read(request: EvaluationRequest) -> ScoredLines:
    if bool(request.reference) == bool(request.reference_tsv):
        raise UserError("give either --reference or --reference_tsv")
    if request.reference:
        return read_parallel(request.hypotheses, request.reference, request.source)
    return read_with_table(request.hypotheses, request.reference_tsv, request.source)


def _warn_of_tokens(lines: ScoredLines) -> None:
    if looks_tokenized(lines.hypotheses):
        logging.warning(
            "the hypotheses look tokenized, but BLEU tokenizes them again: score plain "
            "text, or use --bleu_tokenizer=none and say so"
        )
