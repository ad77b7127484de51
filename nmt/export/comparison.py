"""What fewer bits cost: the same text translated with and without them."""

from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from nmt.data import read_lines
from nmt.data.text import in_chunks
from nmt.decoding import Ensemble, TranslationOptions, Translator
from nmt.evaluation import score_lines
from nmt.export.serving_module import ServingModule
from nmt.progress import Progress

_LINES_AT_A_TIME = 256


def compare(
    ensemble: Ensemble,
    options: TranslationOptions,
    module: ServingModule,
    source: str,
    reference: str,
) -> dict[str, Any]:
    """Scores the translations of a text by stored weights and by those in float32.

    Args:
        ensemble: The models, in float32.
        options: How both translate.
        module: The same with stored weights.
        source: File of the text.
        reference: File of its translation.

    Returns:
        Metric and signature of the first model's settings, the scores `float32` and
        `compressed`, and the share of `equal` translations.

    Raises:
        UserError: a file cannot be read, or they have not equally many lines.
    """
    lines, references = list(read_lines(source)), list(read_lines(reference))
    config = ensemble.members[0].config.evaluation
    # Unequal files are refused before any work is done.
    score_lines(lines, references, config, sources=lines)
    translated = Translator(ensemble).translate(lines, options)
    whole = [each.text for each in translated]
    small = _served(module, lines)
    scores = [
        score_lines(texts, references, config, sources=lines)
        for texts in (whole, small)
    ]
    same = sum(one == other for one, other in zip(whole, small, strict=True))
    return {
        "metric": scores[0].name,
        "signature": scores[0].signature,
        "float32": scores[0].value,
        "compressed": scores[1].value,
        "equal": same / len(lines),
    }


def _served(module: ServingModule, lines: Sequence[str]) -> list[str]:
    texts: list[str] = []
    with Progress("translating with stored weights", len(lines), "lines") as progress:
        for chunk in in_chunks(lines, _LINES_AT_A_TIME):
            found = module.translate(tf.constant(chunk))["text"].numpy()
            texts += [each.decode() for each in found]
            progress.show(len(texts))
    return texts
