"""Weights that make the best text: minimum error rate training, NumPy only."""

import dataclasses
from collections.abc import Callable, Sequence

import numpy as np

from nmt.evaluation import text_bleu

# A round that gains less BLEU than this is the last one.
_LEAST_GAIN = 1e-3
# Relative to the breakpoints, the least width of an interval that a weight is put in.
_LEAST_WIDTH = 1e-7


@dataclasses.dataclass(frozen=True)
class TuningList:
    """The hypotheses of one sentence.

    Attributes:
        columns: float64, `[hypotheses, columns]`: what weights are wanted for.
        counts: int64, `[hypotheses, 10]`: what BLEU is made of, see `ListBleu`.
    """

    columns: np.ndarray
    counts: np.ndarray


def tune(
    lists: Sequence[TuningList],
    start: np.ndarray,
    restarts: int = 8,
    seed: int = 1,
    progress: Callable[[int], None] = lambda done: None,
) -> tuple[np.ndarray, float]:
    """Finds weights w for which the best hypotheses have a high corpus BLEU.

    BLEU as a function of w is made of steps, so that no gradient leads anywhere; but
    along a line w + gamma d it is known exactly: `line_search` (Och, 2003). Powell's
    way: the lines of all columns and as many random ones are searched in turn, until a
    round gains nothing; from `start` and from random points, of which the best wins.

    Args:
        lists: One a sentence of the development text.
        start: float64, `[columns]`: the first w, not zero.
        restarts: Random points.
        seed: Of these and of the random lines.
        progress: Is told the number of points done.

    Returns:
        w, float64, `[columns]`, whose absolute values sum to one, and BLEU.
    """
    random = np.random.default_rng(seed)
    # Random numbers are to mean as much in every column.
    spread = np.mean([each.columns.std(axis=0) for each in lists], axis=0)
    scale = 1 / np.where(spread > 0, spread, 1)
    best, best_bleu = np.asarray(start, np.float64), bleu_of(lists, start)
    for done in range(restarts + 1):
        point = best if not done else random.normal(size=len(start)) * scale
        found, bleu = _climb(lists, point, scale, random)
        if bleu > best_bleu:
            best, best_bleu = found, bleu
        progress(done + 1)
    return best / np.abs(best).sum(), best_bleu


def bleu_of(lists: Sequence[TuningList], weights: np.ndarray) -> float:
    """Returns BLEU of the best hypotheses by some weights, the first of equals.

    Args:
        lists: One a sentence.
        weights: `[columns]`.
    """
    chosen = [each.counts[(each.columns @ weights).argmax()] for each in lists]
    return float(text_bleu(np.sum(chosen, axis=0)))


def line_search(
    lists: Sequence[TuningList], weights: np.ndarray, direction: np.ndarray
) -> tuple[float, float]:
    """Finds the best gamma for w + gamma d, exactly.

    The score of a hypothesis is a straight line in gamma, so the best of a list is
    their upper envelope. Between two breakpoints of all envelopes no choice changes,
    and neither does BLEU: the best interval is found by adding up what changes.

    Args:
        lists: One a sentence.
        weights: w, `[columns]`.
        direction: d, `[columns]`.

    Returns:
        gamma: The middle of the best interval.
        bleu: There.
    """
    breakpoints, changes = [], []
    sums = np.zeros(lists[0].counts.shape[1], np.int64)
    for each in lists:
        places, gammas = envelope(each.columns @ weights, each.columns @ direction)
        sums += each.counts[places[0]]
        breakpoints.append(gammas)
        changes.append(np.diff(each.counts[places], axis=0))
    edges = np.concatenate(breakpoints)
    order = np.argsort(edges, kind="stable")
    edges = edges[order]
    steps = np.concatenate(changes)[order].cumsum(axis=0)
    bleu = text_bleu(sums + np.concatenate([np.zeros([1, len(sums)], np.int64), steps]))
    if not len(edges):
        return 0.0, float(bleu[0])
    # Beyond the outer breakpoints by as much as they are apart.
    margin = max(float(edges[-1] - edges[0]), 1.0)
    bounds = np.concatenate([[edges[0] - margin], edges, [edges[-1] + margin]])
    is_wide = np.diff(bounds) > _LEAST_WIDTH * np.abs(bounds[1:])
    place = int(np.where(is_wide, bleu, -1).argmax())
    return float(bounds[place : place + 2].mean()), float(bleu[place])


def envelope(
    intercepts: np.ndarray, slopes: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Returns which of some straight lines is the highest, and up to where.

    Args:
        intercepts: `[lines]`.
        slopes: `[lines]`.

    Returns:
        places: int, `[pieces]`: the lines of the envelope, from the left.
        gammas: `[pieces - 1]`: where each gives way to the next.

    Example:
        >>> places, gammas = envelope(np.array([0.0, 1, -3]), np.array([1.0, 0, 2]))
        >>> places.tolist(), gammas.tolist()
        ([1, 0, 2], [1.0, 3.0])
    """
    # From the far left: the flattest line, of equally flat ones the highest.
    current = int(np.lexsort([-intercepts, slopes])[0])
    places, gammas = [current], []
    while len(steeper := np.flatnonzero(slopes > slopes[current])):
        climbs = slopes[steeper] - slopes[current]
        meets = (intercepts[current] - intercepts[steeper]) / climbs
        # Of lines that meet it in one point the steepest goes on.
        first = np.lexsort([-slopes[steeper], meets])[0]
        current = int(steeper[first])
        places.append(current)
        gammas.append(float(meets[first]))
    return np.array(places), np.array(gammas)


def _climb(
    lists: Sequence[TuningList],
    weights: np.ndarray,
    scale: np.ndarray,
    random: np.random.Generator,
) -> tuple[np.ndarray, float]:
    """Searches line after line until a round gains nothing."""
    bleu, before = bleu_of(lists, weights), -np.inf
    while bleu - before > _LEAST_GAIN:
        before = bleu
        directions = random.normal(size=[len(weights), len(weights)]) * scale
        for direction in [*np.diag(scale), *directions]:
            gamma, _ = line_search(lists, weights, direction)
            moved = weights + gamma * direction
            # Counted anew: what rounding says in a narrow interval is not believed.
            found = bleu_of(lists, moved)
            if found > bleu:
                weights, bleu = moved, found
    return weights, bleu
