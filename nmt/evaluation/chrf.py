"""chrF of whole texts, by sacrebleu."""

from collections.abc import Sequence

from sacrebleu.metrics.chrf import CHRF

from nmt.config import EvaluationConfig
from nmt.evaluation.measure import Measure, no_details
from nmt.evaluation.score import Score


def chrf_measure(config: EvaluationConfig) -> Measure:
    """Returns chrF2 with the case of the settings."""
    return Measure("chrf", CHRF(lowercase=config.lowercase), no_details)


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
    return chrf_measure(config).count(hypotheses, references).score()
