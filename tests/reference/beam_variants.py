"""The variants of beam search in float64, with lists, and without any early end."""

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from tests.reference.beam_exhaustive import Hypothesis, NextWord, extensions, rank

Score = Callable[[float, tuple[int, ...]], float]


def rank_by(hypotheses: Sequence[Hypothesis], score: Score) -> list[Hypothesis]:
    return sorted(
        hypotheses, key=lambda found: (not found[2], -score(found[0], found[1]))
    )


def score_wu(alpha: float) -> Score:
    """Wu et al. (2016), equation 14, without coverage."""
    return lambda log_prob, words: log_prob / ((5 + len(words)) / 6) ** alpha


def score_mean(log_prob: float, words: tuple[int, ...]) -> float:
    return log_prob / max(len(words), 1)


def keeping_beam(
    next_word: NextWord,
    max_length: int,
    beam_size: int,
    eos_id: int,
    score: Score,
    forbidden_ids: Sequence[int] = (),
) -> list[Hypothesis]:
    """The beam goes on beside the finished ones until the limit."""
    finished: list[Hypothesis] = []
    live: list[Hypothesis] = [(0.0, (), False)]
    for _ in range(max_length):
        grown = sorted(extensions(next_word, live, eos_id, forbidden_ids), reverse=True)
        finished += [found for found in grown[:beam_size] if found[2]]
        finished = rank_by(finished, score)[:beam_size]
        live = [found for found in grown if not found[2]][:beam_size]
    return rank_by(finished + live, score)[:beam_size]


def diverse_beam(
    next_word: NextWord,
    max_length: int,
    beam_size: int,
    eos_id: int,
    groups: int,
    diversity: float,
    forbidden_ids: Sequence[int] = (),
) -> list[Hypothesis]:
    """Vijayakumar et al. (2018), algorithm 1, with Hamming diversity."""
    size = beam_size // groups
    live: list[list[Hypothesis]] = [[(0.0, (), False)] for _ in range(groups)]
    ended: list[list[Hypothesis]] = [[] for _ in range(groups)]
    for _ in range(max_length):
        taken: Counter[int] = Counter()
        for group in range(groups):
            grown = extensions(next_word, live[group], eos_id, forbidden_ids)

            def worth(found: Hypothesis, taken: Counter[int] = taken) -> float:
                return found[0] - diversity * taken[found[1][-1]]

            kept = sorted(grown, key=worth, reverse=True)[: size - len(ended[group])]
            taken += Counter(found[1][-1] for found in kept)
            ended[group] += [found for found in kept if found[2]]
            live[group] = [found for found in kept if not found[2]]
    # Equal words of two groups have equal log probabilities.
    return rank({found for each in (*ended, *live) for found in each})


def without_repeats(next_word: NextWord, n: int) -> NextWord:
    """Forbids words that would make n words in a row that were there before."""

    def allowed(words: tuple[int, ...]) -> np.ndarray:
        log_probs = next_word(words).copy()
        seen = {words[i : i + n] for i in range(len(words) - n + 1)}
        for word in range(len(log_probs)):
            if (*words, word)[-n:] in seen:
                log_probs[word] = -np.inf
        return log_probs

    return allowed


def without_early_end(next_word: NextWord, eos_id: int, min_length: int) -> NextWord:
    """Forbids the end of sentence before `min_length` words."""

    def allowed(words: tuple[int, ...]) -> np.ndarray:
        log_probs = next_word(words).copy()
        if len(words) < min_length:
            log_probs[eos_id] = -np.inf
        return log_probs

    return allowed


def with_prefix(next_word: NextWord, prefix: tuple[int, ...]) -> NextWord:
    """Forbids all but the prefix, as long as there is one."""

    def allowed(words: tuple[int, ...]) -> np.ndarray:
        log_probs = next_word(words).copy()
        if len(words) < len(prefix):
            others = np.arange(len(log_probs)) != prefix[len(words)]
            log_probs[others] = -np.inf
        return log_probs

    return allowed


def draw(
    log_probs: np.ndarray, uniform: float, temperature: float, top_k: int, top_p: float
) -> int:
    """The word at which the cumulative probability passes `uniform`."""
    order = np.argsort(-log_probs, kind="stable")[: top_k or None]
    probs = np.exp((log_probs[order] - log_probs[order[0]]) / temperature)
    probs /= probs.sum()
    order = order[np.cumsum(probs) - probs < top_p]
    probs = probs[: len(order)]
    return int(order[np.searchsorted(np.cumsum(probs) / probs.sum(), uniform, "right")])
