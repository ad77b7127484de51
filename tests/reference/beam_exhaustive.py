"""Search in float64 over a function from a prefix to the next word's log probabilities.

Written from Sutskever et al. (2014), section 3.2, with lists instead of tensors.
"""

from collections.abc import Callable, Iterable, Sequence

import numpy as np

# Log probability, words, whether they end in the end of sentence.
Hypothesis = tuple[float, tuple[int, ...], bool]
NextWord = Callable[[tuple[int, ...]], np.ndarray]


def rank(hypotheses: Iterable[Hypothesis]) -> list[Hypothesis]:
    return sorted(hypotheses, key=lambda found: (not found[2], -found[0]))


def extensions(
    next_word: NextWord,
    live: Sequence[Hypothesis],
    eos_id: int,
    forbidden_ids: Sequence[int],
) -> list[Hypothesis]:
    return [
        (log_prob + word_log_prob, (*words, word), word == eos_id)
        for log_prob, words, _ in live
        for word, word_log_prob in enumerate(next_word(words))
        if word not in forbidden_ids and word_log_prob > -np.inf
    ]


def exhaustive(
    next_word: NextWord,
    max_length: int,
    eos_id: int,
    forbidden_ids: Sequence[int] = (),
) -> list[Hypothesis]:
    """All sequences that end, or are `max_length` long, the best first."""
    ended, live = [], [(0.0, (), False)]
    for _ in range(max_length):
        grown = extensions(next_word, live, eos_id, forbidden_ids)
        ended += [found for found in grown if found[2]]
        live = [found for found in grown if not found[2]]
    return rank(ended + live)


def shrinking_beam(
    next_word: NextWord,
    max_length: int,
    beam_size: int,
    eos_id: int,
    forbidden_ids: Sequence[int] = (),
) -> list[Hypothesis]:
    """The search of the papers."""
    ended, live = [], [(0.0, (), False)]
    for _ in range(max_length):
        grown = extensions(next_word, live, eos_id, forbidden_ids)
        kept = sorted(grown, reverse=True)[: beam_size - len(ended)]
        ended += [found for found in kept if found[2]]
        live = [found for found in kept if not found[2]]
    return rank(ended + live)
