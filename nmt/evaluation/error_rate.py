"""Error rates of short outputs of which several may be right, pronunciations say."""

from collections.abc import Sequence

import nmt
from nmt.config import EvaluationConfig
from nmt.evaluation.score import Score


def word_error_rate(
    hypotheses: Sequence[str],
    references: Sequence[tuple[str, ...]],
    config: EvaluationConfig,
) -> Score:
    """Returns the share of lines that equal none of their references.

    The name is that of grapheme-to-phoneme conversion, where a line is a word; it is
    not the edit distance in words of speech recognition.

    Args:
        hypotheses: Tokens between white space, a line each.
        references: For each hypothesis one or more right lines.
        config: Case.

    Returns:
        Percent, lower is better.

    Example:
        >>> references = [("AH0", "EY1"), ("D AO1 G",)]
        >>> word_error_rate(["EY1", "D AA1 G"], references, EvaluationConfig()).value
        50.0
    """
    wrong = sum(
        _tokens(hypothesis, config) not in [_tokens(line, config) for line in right]
        for hypothesis, right in zip(hypotheses, references, strict=True)
    )
    value = 100.0 * wrong / max(len(hypotheses), 1)
    details = f"{wrong:,} of {len(hypotheses):,} lines"
    return Score("word_error_rate", value, _signature(config), details)


def phone_error_rate(
    hypotheses: Sequence[str],
    references: Sequence[tuple[str, ...]],
    config: EvaluationConfig,
) -> Score:
    """Returns the edits that turn the lines into their references, a reference token.

        100 * sum_i distance(hypothesis_i, reference_i) / sum_i length(reference_i)

    over lines i, with the Levenshtein distance in tokens (phones), to the closest of
    the line's references; of equally close ones the first.

    Args:
        hypotheses: Tokens between white space, a line each.
        references: For each hypothesis one or more right lines.
        config: Case.

    Returns:
        Percent, lower is better; may exceed 100.

    Example:
        >>> references = [("AH0", "EY1"), ("D AO1 G",)]
        >>> phone_error_rate(["EY1", "D AA1 G"], references, EvaluationConfig()).value
        25.0
    """
    edits = tokens = 0
    for hypothesis, right in zip(hypotheses, references, strict=True):
        said = _tokens(hypothesis, config)
        candidates = [_tokens(line, config) for line in right]
        distances = [edit_distance(said, candidate) for candidate in candidates]
        edits += min(distances)
        tokens += len(candidates[distances.index(min(distances))])
    value = 100.0 * edits / max(tokens, 1)
    details = f"{edits:,} edits, {tokens:,} reference tokens"
    return Score("phone_error_rate", value, _signature(config), details)


def edit_distance(first: Sequence[str], second: Sequence[str]) -> int:
    """Returns the fewest insertions, deletions and substitutions between two sequences.

    Example:
        >>> edit_distance("kitten", "sitting")
        3
    """
    # Distances between the tokens of `first` so far and every beginning of `second`.
    row = list(range(len(second) + 1))
    for i, token in enumerate(first, start=1):
        diagonal, row[0] = row[0], i
        for j, other in enumerate(second, start=1):
            substituted = diagonal + (token != other)
            diagonal = row[j]
            row[j] = min(substituted, row[j] + 1, row[j - 1] + 1)
    return row[-1]


def _tokens(line: str, config: EvaluationConfig) -> list[str]:
    return (line.lower() if config.lowercase else line).split()


def _signature(config: EvaluationConfig) -> str:
    case = "lc" if config.lowercase else "mixed"
    return f"references:closest|case:{case}|version:nmt-{nmt.__version__}"
