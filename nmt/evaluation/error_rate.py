"""Error rates of short outputs of which several may be right, pronunciations say."""

from collections.abc import Sequence
from typing import Any

import sacrebleu.metrics.base

import nmt
from nmt.config import EvaluationConfig
from nmt.evaluation.measure import Measure
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
    return word_error_rate_measure(config).count(hypotheses, references).score()


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
    return phone_error_rate_measure(config).count(hypotheses, references).score()


def word_error_rate_measure(config: EvaluationConfig) -> Measure:
    """Returns the word error rate with the case of the settings."""

    def details(result: _ErrorScore) -> str:
        return f"{result.errors:,} of {result.total:,} lines"

    return Measure("word_error_rate", _WordErrors(config.lowercase), details)


def phone_error_rate_measure(config: EvaluationConfig) -> Measure:
    """Returns the phone error rate with the case of the settings."""

    def details(result: _ErrorScore) -> str:
        return f"{result.errors:,} edits, {result.total:,} reference tokens"

    return Measure("phone_error_rate", _PhoneErrors(config.lowercase), details)


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


class _Signature(sacrebleu.metrics.base.Signature):
    def __init__(self, args: dict[str, Any]) -> None:
        super().__init__(args)
        self.info.update(
            nrefs="closest",
            case="lc" if args["lowercase"] else "mixed",
            version=f"nmt-{nmt.__version__}",
        )

    def format(self, short: bool = False) -> str:
        return super().format(short).replace("nrefs:", "references:")


class _ErrorScore(sacrebleu.metrics.base.Score):
    def __init__(self, name: str, errors: float, total: float) -> None:
        super().__init__(name, float(100.0 * errors / max(total, 1)))
        self.errors, self.total = int(errors), int(total)


class _ErrorRate(sacrebleu.metrics.base.Metric):
    """An error rate as sacrebleu's tests want it: errors over what may be wrong."""

    _SIGNATURE_TYPE = _Signature

    def __init__(self, lowercase: bool) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.lowercase = lowercase

    def _preprocess_segment(self, sent: str) -> str:
        return sent.lower() if self.lowercase else sent

    def _extract_reference_info(self, refs: Sequence[str]) -> dict[str, Any]:
        return {"right": [line.split() for line in refs]}

    def _aggregate_and_compute(self, stats: list[list[Any]]) -> _ErrorScore:
        columns = zip(*stats, strict=True)
        return self._compute_score_from_stats([sum(column) for column in columns])

    def _compute_score_from_stats(self, stats: list[Any]) -> _ErrorScore:
        return _ErrorScore(type(self).__name__, stats[0], stats[1])


class _WordErrors(_ErrorRate):
    def _compute_segment_statistics(
        self, hypothesis: str, ref_kwargs: dict[str, Any]
    ) -> list[Any]:
        return [int(hypothesis.split() not in ref_kwargs["right"]), 1]


class _PhoneErrors(_ErrorRate):
    def _compute_segment_statistics(
        self, hypothesis: str, ref_kwargs: dict[str, Any]
    ) -> list[Any]:
        said, right = hypothesis.split(), ref_kwargs["right"]
        distances = [edit_distance(said, candidate) for candidate in right]
        return [min(distances), len(right[distances.index(min(distances))])]
