"""BLEU of what is chosen from n-best lists, and the best choice that there could be."""

from collections.abc import Sequence

import numpy as np

from nmt.config import EvaluationConfig
from nmt.evaluation.bleu import bleu_measure
from nmt.evaluation.measure import LineStatistics
from nmt.evaluation.score import Score

_ORDERS = 4


class ListBleu:
    """Counts what BLEU is made of in every hypothesis of a list.

    Whatever is chosen from many lists, its BLEU follows from the sums of the counts of
    the chosen hypotheses: nothing is compared with its reference twice.

    Args:
        config: Tokenizer and case.

    Raises:
        UserError: sacrebleu has no such tokenizer, or cannot load it.

    Example:
        >>> bleu = ListBleu(EvaluationConfig())
        >>> counts = bleu.count(["a b c d", "a b c e"], "a b c d")
        >>> counts.tolist()
        [[4, 4, 4, 3, 2, 1, 4, 3, 2, 1], [4, 4, 3, 2, 1, 0, 4, 3, 2, 1]]
        >>> round(bleu.score(counts[:1]).value)
        100
    """

    def __init__(self, config: EvaluationConfig) -> None:
        self._measure = bleu_measure(config)
        # sacrebleu learns how many references there are when it compares a text.
        self._measure.count([""], [("",)])

    def count(self, hypotheses: Sequence[str], reference: str) -> np.ndarray:
        """Compares hypotheses with the reference of their sentence.

        Args:
            hypotheses: Lines of text.
            reference: What is right.

        Returns:
            int64, `[hypotheses, 10]`: tokens of the hypothesis and of the reference,
            n-grams that both have, n from 1 to 4, and n-grams of the hypothesis.
        """
        metric = self._measure.metric
        known = metric._extract_reference_info([metric._preprocess_segment(reference)])
        rows = [
            metric._compute_segment_statistics(metric._preprocess_segment(line), known)
            for line in hypotheses
        ]
        return np.array(rows, np.int64).reshape(-1, 2 + 2 * _ORDERS)

    def statistics(self, counts: np.ndarray) -> LineStatistics:
        """Returns the counts of one hypothesis a sentence, as a text's statistics.

        Args:
            counts: int, `[sentences, 10]`.
        """
        return LineStatistics(self._measure, counts.tolist(), range(len(counts)))

    def score(self, counts: np.ndarray) -> Score:
        """Returns BLEU of one hypothesis a sentence, with sacrebleu's signature.

        Args:
            counts: int, `[sentences, 10]`.
        """
        return self.statistics(counts).score()


def text_bleu(sums: np.ndarray) -> np.ndarray:
    """Returns BLEU of whole texts, 0 to 100, without smoothing.

        BLEU = exp(min(0, 1 - r / c) + 1/4 sum_{n=1}^4 log(m_n / t_n))

    (Papineni et al., 2002), with c and r the tokens of hypotheses and references, m_n
    the n-grams that they share and t_n those of the hypotheses. Without a shared n-gram
    of each n it is 0, where sacrebleu's is a little more.

    Args:
        sums: `[..., 10]`: sums of counts as `ListBleu` makes them.

    Example:
        >>> text_bleu(np.array([4, 4, 4, 3, 2, 1, 4, 3, 2, 1])).round(1)
        np.float64(100.0)
    """
    return _bleu(sums, added=np.zeros(_ORDERS))


def sentence_bleu(counts: np.ndarray) -> np.ndarray:
    """Returns BLEU of single sentences, 0 to 100, by which an oracle chooses.

    As `text_bleu`, but with (m_n + 1) / (t_n + 1) for n > 1 (Lin and Och, 2004), since
    most sentences share no four words in a row with their references.

    Args:
        counts: `[..., 10]`, as `ListBleu` makes them.
    """
    return _bleu(counts, added=np.array([0, 1, 1, 1]))


def _bleu(counts: np.ndarray, added: np.ndarray) -> np.ndarray:
    counts = np.asarray(counts, np.float64)
    length, reference_length = counts[..., 0], counts[..., 1]
    shared = counts[..., 2 : 2 + _ORDERS]
    precisions = (shared + added) / np.maximum(counts[..., 2 + _ORDERS :] + added, 1)
    nothing = (shared[..., 0] == 0) | (precisions == 0).any(axis=-1)
    logs = np.log(np.where(precisions > 0, precisions, 1)).mean(axis=-1)
    brevity = np.minimum(0, 1 - reference_length / np.maximum(length, 1))
    return np.where(nothing, 0.0, 100 * np.exp(brevity + logs))
