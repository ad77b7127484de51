"""Scores of hypotheses against references."""

from nmt.evaluation.bleu import corpus_bleu, looks_tokenized
from nmt.evaluation.chrf import corpus_chrf
from nmt.evaluation.error_rate import phone_error_rate, word_error_rate
from nmt.evaluation.metrics import METRICS, score, score_lines
from nmt.evaluation.report import EvaluationReport, evaluate
from nmt.evaluation.score import Score

__all__ = [
    "METRICS",
    "EvaluationReport",
    "Score",
    "corpus_bleu",
    "corpus_chrf",
    "evaluate",
    "looks_tokenized",
    "phone_error_rate",
    "score",
    "score_lines",
    "word_error_rate",
]
