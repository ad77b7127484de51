"""How good the choices from the lists are: BLEU, the oracle, and a test."""

from collections.abc import Mapping, Sequence

import numpy as np

from nmt.config import EvaluationConfig
from nmt.evaluation import (
    Bootstrap,
    ListBleu,
    PairedBootstrap,
    paired_bootstrap,
    sentence_bleu,
)
from nmt.rescoring.columns import FIRST, MIXED
from nmt.rescoring.report import SystemScore

ORACLE_SIZES = (10, 100, 1000)


class Quality:
    """Collects what several systems chose from every list.

    The oracle takes the hypothesis of the highest sentence BLEU among the first n of
    each list, the first of equals: better text there may be, but not by this measure.

    Args:
        config: Tokenizer and case.
        models: Names of the models, each of which is a system of its own.
    """

    def __init__(self, config: EvaluationConfig, models: Sequence[str]) -> None:
        self._bleu = ListBleu(config)
        self._systems = [FIRST, *models, MIXED]
        self._longest = 0
        self._oracles = {f"oracle of the first {size:,}": size for size in ORACLE_SIZES}
        self._counts: dict[str, list[np.ndarray]] = {
            name: [] for name in (*self._systems, *self._oracles)
        }

    def add(
        self, reference: str, hypotheses: Sequence[str], choices: Mapping[str, int]
    ) -> None:
        """Counts the next sentence.

        Args:
            reference: What is right.
            hypotheses: The list in its own order; empty: the sentence has none, and
                all systems write an empty line.
            choices: The place of the hypothesis that each model and the mix chose.
        """
        counts = self._bleu.count(hypotheses or [""], reference)
        oracle = sentence_bleu(counts)
        self._longest = max(self._longest, len(hypotheses))
        for system in self._systems:
            place = choices.get(system, 0) if hypotheses else 0
            self._counts[system].append(counts[place])
        for name, size in self._oracles.items():
            self._counts[name].append(counts[oracle[:size].argmax()])

    def scores(self) -> tuple[SystemScore, ...]:
        """Returns BLEU of every system and of the oracle, with the 1-best first.

        The oracle of more than all hypotheses of all lists is left out.
        """
        sizes = dict(zip(self._oracles.values(), (0, *ORACLE_SIZES), strict=False))
        scores = {
            name: self._bleu.score(np.stack(counts))
            for name, counts in self._counts.items()
            if name not in self._oracles or self._longest > sizes[self._oracles[name]]
        }
        first = scores[FIRST].value
        return tuple(
            SystemScore(name, score, score.value - first)
            for name, score in scores.items()
        )

    def test(self, bootstrap: Bootstrap) -> PairedBootstrap:
        """Tests whether the mix differs from the 1-best by more than chance.

        Raises:
            UserError: so many samples do not fit into memory.
        """
        mixed, first = (
            self._bleu.statistics(np.stack(self._counts[name]))
            for name in (MIXED, FIRST)
        )
        return paired_bootstrap(mixed, first, bootstrap)
