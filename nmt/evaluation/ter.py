"""Translation edit rate of whole texts, by sacrebleu."""

from collections.abc import Sequence

from sacrebleu.metrics.ter import TER, TERScore

from nmt.config import EvaluationConfig
from nmt.evaluation.measure import Measure
from nmt.evaluation.score import Score


def ter_measure(config: EvaluationConfig) -> Measure:
    """Returns TER with the case of the settings.

    sacrebleu's command ignores case by default; so does this where
    `config.lowercase` is set, and the signature tells.
    """
    return Measure("ter", TER(case_sensitive=not config.lowercase), _details)


def corpus_ter(
    hypotheses: Sequence[str],
    references: Sequence[tuple[str, ...]],
    config: EvaluationConfig,
) -> Score:
    """Scores a translated text by translation edit rate (Snover et al., 2006).

        100 * sum_i edits(hypothesis_i, reference_i) / sum_i length(reference_i)

    over lines i; an edit inserts, deletes or substitutes a word, or shifts a sequence
    of words. The text is cut at white space only. Of several references the closest
    gives the edits, and their mean the length.

    Args:
        hypotheses: A line a sentence.
        references: For each hypothesis one or more correct translations.
        config: Case.

    Returns:
        Percent, lower is better, with sacrebleu's signature; may exceed 100.

    Example:
        >>> references = [("the cat sat here",)]
        >>> corpus_ter(["here the cat sat"], references, EvaluationConfig()).value
        25.0
    """
    return ter_measure(config).count(hypotheses, references).score()


def _details(result: TERScore) -> str:
    return f"{result.num_edits:,} edits, {result.ref_length:,.0f} reference words"
