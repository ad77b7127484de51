"""What the hypotheses of a list can be ranked by, under the names of weights."""

import math
import pathlib
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from nmt.data.n_best import NBestLine, NBestList
from nmt.errors import UserError

TOTAL, WORDS, ENSEMBLE = "total", "words", "ensemble"
# Stands for all features of a list.
ALL = "all"
# What reports call the list's own first hypothesis, and the one of the best mix.
FIRST, MIXED = "1-best", "mix"


class Columns:
    """The numbers of all hypotheses of a list, by name.

    - `total`: the list's own score;
    - `words`: words of the hypothesis, cut at white space;
    - the names of what the models said: log p(y | x), nats;
    - the names of the list's features. Of one with several values, `LM.0` is the first.

    Args:
        n_best_list: The list.
        log_probs: By name, `[hypotheses]` each.
    """

    def __init__(
        self, n_best_list: NBestList, log_probs: Mapping[str, np.ndarray]
    ) -> None:
        self._list = n_best_list
        self._log_probs = log_probs
        self._features: list[dict[str, float]] = []

    @property
    def names(self) -> list[str]:
        """All names that the first hypothesis has."""
        return self._names(0)

    def _names(self, place: int) -> list[str]:
        features = _single_values(self._list.lines[place])
        finite = [name for name, value in features.items() if math.isfinite(value)]
        return list(dict.fromkeys([TOTAL, *self._log_probs, WORDS, *finite]))

    def __getitem__(self, name: str) -> np.ndarray:
        """Returns the numbers of this name, float64, `[hypotheses]`.

        Raises:
            UserError: a hypothesis has none, or one that is not finite.
        """
        lines = self._list.lines
        if name in self._log_probs:
            return np.asarray(self._log_probs[name], np.float64)
        if name == TOTAL:
            return np.array([line.total for line in lines])
        if name == WORDS:
            return np.array(
                [float(len(each.split())) for each in self._list.hypotheses]
            )
        if not self._features:
            self._features = [_single_values(line) for line in lines]
        found = np.array([each.get(name, np.nan) for each in self._features])
        missing = np.flatnonzero(~np.isfinite(found))
        if len(missing):
            raise UserError(
                f"hypothesis {missing[0] + 1} of id {self._list.id} has no finite "
                f"{name!r}; it has {', '.join(self._names(missing[0]))}"
            )
        return found


def feature_names(run_dirs: Sequence[str], taken: Iterable[str]) -> tuple[str, ...]:
    """Names what the models of some run folders say: by the folders, all distinct.

    Args:
        run_dirs: Paths.
        taken: Names of the list's features.

    Returns:
        One name a model, and, where there are several, one for the ensemble.

    Example:
        >>> feature_names(["runs/a", "more/a/", "runs/my model"], ["LM", "a"])
        ('a_2', 'a_3', 'my_model', 'ensemble')
    """
    used = {*taken, TOTAL, WORDS, FIRST, MIXED}
    wanted = ["_".join(pathlib.Path(path).resolve().name.split()) for path in run_dirs]
    if len(wanted) > 1:
        wanted.append(ENSEMBLE)
    names: list[str] = []
    for name in wanted:
        # The folder of a whole file system has no name.
        free, number = name or "model", 2
        while free in used:
            free, number = f"{name or 'model'}_{number}", number + 1
        used.add(free)
        names.append(free)
    return tuple(names)


def _single_values(line: NBestLine) -> dict[str, float]:
    """Returns the features, those of several values as `name.0`, `name.1` and so on."""
    single = {}
    for name, values in line.features.items():
        if len(values) == 1:
            single[name] = values[0]
        else:
            single |= {f"{name}.{i}": value for i, value in enumerate(values)}
    return single
