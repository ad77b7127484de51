"""Scores of hypotheses against references."""

from nmt.evaluation.bleu import corpus_bleu, looks_tokenized
from nmt.evaluation.chrf import corpus_chrf
from nmt.evaluation.error_rate import phone_error_rate, word_error_rate
from nmt.evaluation.files import EvaluationRequest, evaluate_files
from nmt.evaluation.metrics import score_alternatives, score_lines
from nmt.evaluation.report import EvaluationReport, evaluate
from nmt.evaluation.score import Score

__all__ = [
    "EvaluationReport",
    "EvaluationRequest",
    "Score",
    "corpus_bleu",
    "corpus_chrf",
    "evaluate",
    "evaluate_files",
    "looks_tokenized",
    "phone_error_rate",
    "score_alternatives",
    "score_lines",
    "word_error_rate",
]
