"""The line search is exact, and climbing finds the weights that make the best text."""

import numpy as np
import pytest

from nmt.config import EvaluationConfig
from nmt.evaluation import ListBleu
from nmt.rescoring.tuning import TuningList, bleu_of, envelope, line_search, tune


def random_lists(seed: int, sentences: int = 12, columns: int = 3) -> list[TuningList]:
    """Makes lists in which the first column has something to do with BLEU."""
    random = np.random.default_rng(seed)
    bleu = ListBleu(EvaluationConfig(bleu_tokenizer="none"))
    lists = []
    for _ in range(sentences):
        reference = [f"w{i}" for i in random.integers(0, 9, random.integers(5, 12))]
        hypotheses, wrong = [], []
        for _ in range(random.integers(1, 15)):
            is_wrong = random.random(len(reference)) < random.random()
            words = np.where(is_wrong, "x", reference)
            hypotheses.append(" ".join(words[: random.integers(3, len(words) + 1)]))
            wrong.append(is_wrong.mean())
        numbers = random.normal(size=[len(hypotheses), columns])
        numbers[:, 0] -= 3 * np.array(wrong)
        lists.append(TuningList(numbers, bleu.count(hypotheses, " ".join(reference))))
    return lists


@pytest.mark.parametrize("seed", range(5))
def test_envelope_is_the_maximum_everywhere(seed: int) -> None:
    random = np.random.default_rng(seed)
    # Whole numbers: lines that are equal, parallel, or meet in one point.
    intercepts, slopes = random.integers(-3, 4, [2, 30]).astype(float)
    places, gammas = envelope(intercepts, slopes)
    assert (np.diff(gammas) >= 0).all()
    assert (np.diff(slopes[places]) > 0).all()
    for gamma in np.linspace(-9, 9, 181):
        piece = np.searchsorted(gammas, gamma)
        found = intercepts[places[piece]] + gamma * slopes[places[piece]]
        assert found == pytest.approx((intercepts + gamma * slopes).max())


@pytest.mark.parametrize("seed", range(4))
def test_line_search_finds_the_best_of_a_fine_grid(seed: int) -> None:
    lists = random_lists(seed)
    random = np.random.default_rng(seed)
    weights, direction = random.normal(size=[2, 3])
    gamma, bleu = line_search(lists, weights, direction)
    assert bleu == pytest.approx(bleu_of(lists, weights + gamma * direction))
    grid = [bleu_of(lists, weights + g * direction) for g in np.linspace(-20, 20, 4001)]
    assert bleu >= max(grid) - 1e-9
    assert max(grid) - min(grid) > 1


def test_line_search_along_what_changes_nothing() -> None:
    lists = random_lists(1)
    weights = np.array([1.0, 0, 0])
    gamma, bleu = line_search(lists, weights, np.zeros(3))
    assert (gamma, bleu) == (0, bleu_of(lists, weights))


def test_weights_are_better_than_the_start_and_near_the_best() -> None:
    lists = random_lists(7)
    start = np.array([0.0, 1, 0])
    weights, bleu = tune(lists, start, restarts=3, seed=2)
    assert bleu == pytest.approx(bleu_of(lists, weights))
    assert np.abs(weights).sum() == pytest.approx(1)
    assert weights[0] > 0
    points = np.random.default_rng(0).normal(size=[3000, 3])
    assert bleu >= max(bleu_of(lists, point) for point in points) - 0.5
    assert bleu > bleu_of(lists, start) + 5


def test_equal_seeds_give_equal_weights() -> None:
    lists = random_lists(3, sentences=6)
    start = np.array([1.0, 0, 0])
    done: list[int] = []
    one, _ = tune(lists, start, restarts=2, seed=5, progress=done.append)
    two, _ = tune(lists, start, restarts=2, seed=5)
    assert one.tolist() == two.tolist()
    assert done == [1, 2, 3]


def test_columns_that_do_not_vary() -> None:
    lists = random_lists(4, sentences=5)
    for each in lists:
        each.columns[:, 1] = 4.0
    weights, _ = tune(lists, np.array([1.0, 0, 0]), restarts=1)
    assert np.isfinite(weights).all()
