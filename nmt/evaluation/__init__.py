"""Scores of hypotheses against references."""

from nmt.evaluation.bleu import corpus_bleu, looks_tokenized
from nmt.evaluation.bootstrap import Bootstrap, PairedBootstrap, paired_bootstrap
from nmt.evaluation.chrf import corpus_chrf
from nmt.evaluation.error_rate import phone_error_rate, word_error_rate
from nmt.evaluation.files import evaluate_files
from nmt.evaluation.list_bleu import ListBleu, sentence_bleu, text_bleu
from nmt.evaluation.metrics import count_lines, score_alternatives, score_lines
from nmt.evaluation.report import EvaluationReport
from nmt.evaluation.request import EvaluationRequest
from nmt.evaluation.score import Score
from nmt.evaluation.scoring import Breakdown, evaluate
from nmt.evaluation.ter import corpus_ter

__all__ = [
    "Bootstrap",
    "Breakdown",
    "EvaluationReport",
    "EvaluationRequest",
    "ListBleu",
    "PairedBootstrap",
    "Score",
    "corpus_bleu",
    "corpus_chrf",
    "corpus_ter",
    "count_lines",
    "evaluate",
    "evaluate_files",
    "looks_tokenized",
    "paired_bootstrap",
    "phone_error_rate",
    "score_alternatives",
    "score_lines",
    "sentence_bleu",
    "text_bleu",
    "word_error_rate",
]
