"""chrF of whole texts, by sacrebleu."""

from collections.abc import Sequence

from sacrebleu.metrics.chrf import CHRF

from nmt.config import EvaluationConfig
from nmt.evaluation.bleu import reference_streams
from nmt.evaluation.score import Score


def corpus_chrf(
    hypotheses: Sequence[str],
    references: Sequence[tuple[str, ...]],
    config: EvaluationConfig,
) -> Score:
    """Scores a translated text by chrF2, F of character n-grams (Popovic, 2015).

    White space does not count, so that tokenization matters little.

    Args:
        hypotheses: A line a sentence.
        references: For each hypothesis one or more correct translations.
        config: Case.

    Returns:
        chrF2, 0 to 100, with sacrebleu's signature.

    Example:
        >>> round(corpus_chrf(["a cat"], [("a cat",)], EvaluationConfig()).value)
        100
    """
    chrf = CHRF(lowercase=config.lowercase)
    result = chrf.corpus_score(hypotheses, reference_streams(references))
    return Score("chrf", result.score, str(chrf.get_signature()))
