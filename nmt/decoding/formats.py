"""How translations are written: what stands in the output for each input line."""

import json
from collections.abc import Callable
from typing import Any

from nmt.data.vocabulary import EOS_ID, SPECIAL_TOKENS
from nmt.decoding.alignment import matrix, matrix_line, pharaoh, word_alignment
from nmt.decoding.translation import Hypothesis, Translation

_EOS = SPECIAL_TOKENS[EOS_ID]


def text_line(number: int, translation: Translation) -> str:
    """Returns the best hypothesis as one line.

    Args:
        number: Of the input line, from 0; not shown.
        translation: Of that line.
    """
    return f"{translation.text}\n"


def moses_lines(number: int, translation: Translation) -> str:
    """Returns an n-best list as Moses writes it, a line a hypothesis, the best first.

        id ||| hypothesis ||| log_prob= x ||| s

    x is the log probability in nats, s the score that the list is sorted by: x itself
    without penalties. The hypothesis may contain ` ||| ` itself: the first field and
    the last two are safe to cut at.

    Args:
        number: Of the input line, from 0: the id.
        translation: Of that line.
    """
    return "".join(
        f"{number} ||| {hypothesis.text} ||| log_prob= {hypothesis.log_prob:.6f} ||| "
        f"{hypothesis.score:.6f}\n"
        for hypothesis in translation.n_best
    )


def json_line(number: int, translation: Translation) -> str:
    """Returns all that is known as a JSON object in one line.

    `id` counts input lines from 0, `source_tokens` are those that were read, and
    `n_best` has the hypotheses, the best first: `text`, `tokens`, `log_prob` (nats),
    `hypothesis_score`, `finished` and, where a model attends, `alignment`: a row for
    each token and, if it is finished, the end of sentence; a column for each source
    token and the end of the source.

    Args:
        number: Of the input line, from 0.
        translation: Of that line.
    """
    content = {
        "id": number,
        "source_tokens": list(translation.source),
        "n_best": [_as_object(hypothesis) for hypothesis in translation.n_best],
    }
    return f"{json.dumps(content, ensure_ascii=False)}\n"


def pharaoh_line(translation: Translation, hypothesis: Hypothesis) -> str:
    """Returns source and target words that belong together, as Pharaoh writes them.

    `0-1` is the first source word and the second target word. Words are what white
    space separates in text of sentencepiece, tokens otherwise; ends of sentences are
    none.

    Args:
        translation: Of a line.
        hypothesis: One of its hypotheses.
    """
    source, target = translation.source, hypothesis.tokens
    if hypothesis.alignment is None:
        return "\n"
    inside = hypothesis.alignment[: len(target), : len(source)]
    return f"{pharaoh(word_alignment(inside, source, target))}\n"


def matrix_object(translation: Translation, hypothesis: Hypothesis) -> str:
    """Returns the tokens of both sides and the weights as a JSON object in one line.

    Args:
        translation: Of a line.
        hypothesis: One of its hypotheses.
    """
    if hypothesis.alignment is None or not translation.source:
        return f"{matrix_line([], [], [])}\n"
    end = (_EOS,) if hypothesis.finished else ()
    return (
        matrix_line(
            hypothesis.alignment,
            (*translation.source, _EOS),
            (*hypothesis.tokens, *end),
        )
        + "\n"
    )


def _as_object(hypothesis: Hypothesis) -> dict[str, Any]:
    content: dict[str, Any] = {
        "text": hypothesis.text,
        "tokens": list(hypothesis.tokens),
        "log_prob": round(hypothesis.log_prob, 6),
        "hypothesis_score": round(hypothesis.score, 6),
        "finished": hypothesis.finished,
    }
    if hypothesis.alignment is not None:
        content["alignment"] = matrix(hypothesis.alignment)
    return content


FORMATS: dict[str, Callable[[int, Translation], str]] = {
    "text": text_line,
    "moses": moses_lines,
    "jsonl": json_line,
}

ALIGNMENT_FORMATS: dict[str, Callable[[Translation, Hypothesis], str]] = {
    "pharaoh": pharaoh_line,
    "matrix": matrix_object,
}
