"""BLEU of whole texts, by sacrebleu."""

import re
from collections.abc import Iterable, Sequence

from sacrebleu.metrics.bleu import BLEU, BLEUScore

from nmt.config import EvaluationConfig
from nmt.errors import UserError
from nmt.evaluation.measure import Measure
from nmt.evaluation.score import Score

_STOP = re.compile(r"\S\s*[.,](?=\s|$)")
_SEPARATE_STOP = re.compile(r"\s[.,](?=\s|$)")
# Joins the parts of words that subword tokenizers leave.
_SUBWORD_MARK = re.compile("@@( |$)|\u2581")


def bleu_measure(config: EvaluationConfig) -> Measure:
    """Returns BLEU with the tokenizer and the case of the settings.

    Raises:
        UserError: sacrebleu has no such tokenizer, or cannot load it.
    """
    tokenizers = sorted(BLEU.TOKENIZERS)
    if config.bleu_tokenizer not in tokenizers:
        raise UserError(
            f"bleu_tokenizer {config.bleu_tokenizer!r}: choose one of "
            f"{', '.join(tokenizers)}"
        )
    try:
        # `force` only silences a warning, for which there is `looks_tokenized`.
        bleu = BLEU(
            lowercase=config.lowercase, tokenize=config.bleu_tokenizer, force=True
        )
    except (ImportError, OSError, RuntimeError) as error:
        reason = " ".join(str(error).split())
        raise UserError(f"bleu_tokenizer {config.bleu_tokenizer}: {reason}") from error
    return Measure("bleu", bleu, _details)


def corpus_bleu(
    hypotheses: Sequence[str],
    references: Sequence[tuple[str, ...]],
    config: EvaluationConfig,
) -> Score:
    """Scores a translated text by BLEU (Papineni et al., 2002).

    The text is scored as it is given: with the tokenizer `13a` it should be plain text,
    with `none` it is compared token by token.

    Args:
        hypotheses: A line a sentence.
        references: For each hypothesis one or more correct translations.
        config: Tokenizer and case.

    Returns:
        BLEU, 0 to 100, with sacrebleu's signature.

    Raises:
        UserError: sacrebleu has no such tokenizer, or cannot load it.

    Example:
        >>> lines = ["the cat sat on the mat"]
        >>> references = [("the cat sat on the mat", "on the mat sat the cat")]
        >>> round(corpus_bleu(lines, references, EvaluationConfig()).value)
        100
    """
    return bleu_measure(config).count(hypotheses, references).score()


def looks_tokenized(lines: Iterable[str]) -> bool:
    """Tells whether a text is tokenized, or in subwords, rather than plain.

    That is so if most of its full stops and commas stand apart from the word before, or
    if a line has a mark of a subword tokenizer.

    Example:
        >>> looks_tokenized(["A dog , a cat ."]), looks_tokenized(["A dog, a cat."])
        (True, False)
    """
    stops = separate = 0
    for line in lines:
        if _SUBWORD_MARK.search(line):
            return True
        stops += len(_STOP.findall(line))
        separate += len(_SEPARATE_STOP.findall(line))
    return separate > stops / 2


def _details(result: BLEUScore) -> str:
    precisions = "/".join(f"{precision:.1f}" for precision in result.precisions)
    return (
        f"n-grams {precisions} %, brevity penalty {result.bp:.3f}, "
        f"length ratio {result.sys_len / max(result.ref_len, 1):.3f}"
    )
