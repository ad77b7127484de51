"""How the numbers of a hypothesis become the score that it is ranked by."""

import dataclasses
import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from nmt.data.text import read_lines
from nmt.errors import UserError
from nmt.rescoring.columns import TOTAL, Columns

# Of a weight.
_LARGEST = 1e100

EVEN, WEIGHTS, FILE, TUNE = "even", "weights=", "file:", "tune:"


@dataclasses.dataclass(frozen=True)
class Mix:
    """A weighted sum: higher is better, and compared within a sentence only.

        score(y) = sum_k w_k column_k(y)

    Even weights of the system's score and of log p(y | x) are those of the LSTM paper
    (Sutskever et al., 2014, section 3.2).

    Attributes:
        weights: w_k by the name of the column; see `Columns`.

    Example:
        >>> Mix.parse("weights=total:1,lstm:0.25").weights
        {'total': 1.0, 'lstm': 0.25}
    """

    weights: Mapping[str, float]

    @classmethod
    def even(cls, log_prob: str) -> "Mix":
        """Returns the mean of the system's own score and one log probability.

        Args:
            log_prob: The name of its column.
        """
        return cls({TOTAL: 0.5, log_prob: 0.5})

    @classmethod
    def parse(cls, text: str, log_prob: str = "") -> "Mix":
        """Reads what the command line says.

        Args:
            text: `even`, `weights=NAME:W,NAME:W` or `file:PATH`.
            log_prob: The column that `even` mixes in.

        Raises:
            UserError: it is something else, or the file has no weights.
        """
        if text == EVEN:
            return cls.even(log_prob)
        if text.startswith(FILE):
            return cls.load(text.removeprefix(FILE))
        if not text.startswith(WEIGHTS):
            raise UserError(
                f"--mix={text}: give even, weights=total:1,NAME:0.5, file:PATH or "
                "tune:PATH"
            )
        weights = {}
        for part in text.removeprefix(WEIGHTS).split(","):
            name, colon, value = part.rpartition(":")
            if not (colon and name) or name in weights:
                raise UserError(
                    f"--mix={text}: {part!r} is no NAME:WEIGHT of its own, such as "
                    "total:0.5"
                )
            weights[name] = value
        return cls(_numbers(weights, f"--mix={text}"))

    @classmethod
    def load(cls, path: str) -> "Mix":
        """Reads a JSON file with an object `weights`, as tuning writes it.

        Raises:
            UserError: the file cannot be read, or has no weights.
        """
        try:
            weights = json.loads("\n".join(read_lines(path)))["weights"]
            return cls(_numbers(dict(weights), path))
        except (ValueError, LookupError, TypeError, RecursionError) as error:
            raise UserError(
                f'{path}: no weights: expected {{"weights": {{"total": 0.5, ...}}}}'
            ) from error

    def scores(self, columns: Columns) -> np.ndarray:
        """Returns the weighted sum of each hypothesis, float64, `[hypotheses]`.

        Raises:
            UserError: a column is missing.
        """
        # What is too large for a number is first or last all the same.
        with np.errstate(over="ignore"):
            return sum(
                (weight * columns[name] for name, weight in self.weights.items()),
                start=np.zeros(()),
            )

    def __str__(self) -> str:
        parts = " + ".join(f"{w:g} {name}" for name, w in self.weights.items())
        return parts.replace("+ -", "- ")


def ranking(scores: np.ndarray) -> np.ndarray:
    """Returns the places from the highest score to the lowest; equals keep their order.

    Args:
        scores: `[hypotheses]`.

    Example:
        >>> ranking(np.array([1.0, 3.0, 3.0])).tolist()
        [1, 2, 0]
    """
    return np.argsort(-scores, kind="stable")


def _numbers(weights: Mapping[str, Any], where: str) -> dict[str, float]:
    numbers = {}
    for name, value in weights.items():
        try:
            numbers[name] = float(value)
        except (TypeError, ValueError, OverflowError):
            numbers[name] = math.nan
        # Python reads 1_0 as 10, and the largest numbers overflow when they are added.
        if not abs(numbers[name]) <= _LARGEST or "_" in str(value):
            raise UserError(f"{where}: the weight {value!r} of {name} is no number")
    if not numbers:
        raise UserError(f"{where}: there are no weights")
    return numbers
