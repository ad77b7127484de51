"""From how much a word looked at each source token to which of them it belongs to."""

import json
from collections.abc import Mapping, Sequence

import numpy as np

from nmt.data.vocabulary import SPECIAL_TOKENS, UNK_ID

# How sentencepiece marks the first piece of a word.
_WORD_BEGINS = "\u2581"
_UNKNOWN = SPECIAL_TOKENS[UNK_ID]


def word_alignment(
    alignment: np.ndarray, source: Sequence[str], target: Sequence[str]
) -> np.ndarray:
    """Adds up the pieces of every word: the words are what the user's text has.

    The attention to a source word is the sum over its pieces, and that of a target word
    the mean over its pieces, so that rows go on summing to one.

    Args:
        alignment: `[target_len, source_len]`.
        source: Source tokens; those of sentencepiece, which mark the beginning of each
            word, are pieces. Where none is marked, every token is a word.
        target: Target tokens, likewise.

    Returns:
        `[target words, source words]`.

    Example:
        >>> alignment = np.array([[0.5, 0.25, 0.25], [0.0, 0.0, 1.0]])
        >>> word_alignment(alignment, ["▁two", "▁do", "gs"], ["▁deux", "▁chiens"])
        array([[0.5, 0.5],
               [0. , 1. ]])
    """
    starts = _word_starts(source), _word_starts(target)
    if not (starts[0] and starts[1]):
        return np.zeros((len(starts[1]), len(starts[0])))
    summed = np.add.reduceat(alignment, starts[0], axis=1)
    counts = np.diff([*starts[1], len(target)])
    return np.add.reduceat(summed, starts[1], axis=0) / counts[:, np.newaxis]


def pharaoh(alignment: np.ndarray) -> str:
    """Returns each target word with the source word it looked at most: `j-i`.

    Args:
        alignment: `[target words, source words]`.

    Returns:
        Pairs of source and target word, counted from 0, in the order of the target.

    Example:
        >>> pharaoh(np.array([[0.1, 0.9], [0.8, 0.2]]))
        '1-0 0-1'
    """
    if not alignment.shape[1]:
        return ""
    return " ".join(f"{j}-{i}" for i, j in enumerate(alignment.argmax(axis=1)))


def matrix(alignment: np.ndarray | Sequence[Sequence[float]]) -> list[list[float]]:
    """Returns the rows as JSON has them, to six places."""
    return [[round(float(weight), 6) for weight in row] for row in alignment]


def replace_unknown(
    tokens: Sequence[str],
    unknown: str,
    alignment: np.ndarray,
    source: Sequence[str],
    dictionary: Mapping[str, str],
) -> list[str]:
    """Puts something in the place of unknown words (Luong et al., 2015).

    That is what the dictionary has for the source token that the word looked at most,
    or else that token itself: names are often the same in both languages.

    Args:
        tokens: Of the translation.
        unknown: The token that stands for all unknown ones.
        alignment: `[target_len, source_len]`.
        source: Tokens of the source, as they stand in the text.
        dictionary: From source tokens to target tokens.

    Example:
        >>> alignment = np.array([[1.0, 0.0], [0.0, 1.0]])
        >>> replace_unknown(["je", "<unk>"], "<unk>", alignment, ["I", "Ann"], {})
        ['je', 'Ann']
    """
    replaced = list(tokens)
    for place, token in enumerate(tokens):
        if token == unknown:
            aligned = source[int(alignment[place, : len(source)].argmax())]
            replaced[place] = dictionary.get(aligned, aligned)
    return replaced


def matrix_line(
    alignment: np.ndarray | Sequence[Sequence[float]],
    source: Sequence[str],
    target: Sequence[str],
) -> str:
    """Returns one JSON object: the tokens of both sides and the weights.

    Args:
        alignment: `[target_len, source_len]`.
        source: A token a column.
        target: A token a row.
    """
    content = {
        "source_tokens": list(source),
        "target_tokens": list(target),
        "alignment": matrix(alignment),
    }
    return json.dumps(content, ensure_ascii=False)


def _word_starts(tokens: Sequence[str]) -> list[int]:
    """Returns the places at which words begin."""
    if not any(token.startswith(_WORD_BEGINS) for token in tokens):
        return list(range(len(tokens)))
    starts, has_letters = [0], False
    for place, token in enumerate(tokens):
        # The unknown piece is written with blanks around it.
        begins = (
            token.startswith(_WORD_BEGINS) or _UNKNOWN in tokens[place - 1 : place + 1]
        )
        # Several marks in a row are so much white space: one word begins.
        if has_letters and begins:
            starts.append(place)
            has_letters = False
        has_letters |= token.strip(_WORD_BEGINS) != ""
    return starts if has_letters else starts[:-1]
