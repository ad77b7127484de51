"""The formulas by which several models' probabilities become one."""

import numpy as np
import pytest
import tensorflow as tf

from nmt.decoding.combination import (
    COMBINATIONS,
    log_linear,
    mean_of_probabilities,
)
from tests.tolerance import assert_close

every_combination = pytest.mark.parametrize("name", COMBINATIONS)


def distributions(models: int, spread: float = 3.0) -> np.ndarray:
    """Returns probabilities in float64, `[models, 4, 7]`."""
    logits = np.random.default_rng(models).normal(0, spread, size=(models, 4, 7))
    values = np.exp(logits)
    return values / values.sum(-1, keepdims=True)


def logs(probabilities: np.ndarray) -> list[tf.Tensor]:
    return [tf.constant(np.log(each), tf.float32) for each in probabilities]


@pytest.mark.parametrize("weights", [[0.5, 0.5], [0.9, 0.1]])
def test_mean_of_probabilities(weights: list[float]) -> None:
    p = distributions(2)
    found = tf.exp(mean_of_probabilities(logs(p), weights))
    assert_close(found, weights[0] * p[0] + weights[1] * p[1], "float32")


@pytest.mark.parametrize("weights", [[0.5, 0.5], [0.9, 0.1]])
def test_geometric_mean(weights: list[float]) -> None:
    p = distributions(2)
    product = p[0] ** weights[0] * p[1] ** weights[1]
    expected = product / product.sum(-1, keepdims=True)
    assert_close(tf.exp(log_linear(logs(p), weights)), expected, "float32")


@every_combination
@pytest.mark.parametrize("models", [1, 3])
def test_result_is_a_distribution(name: str, models: int) -> None:
    found = COMBINATIONS[name](logs(distributions(models)), [1 / models] * models)
    assert_close(tf.reduce_sum(tf.exp(found), axis=-1), np.ones(4), "float32")


@every_combination
def test_equal_models_are_one(name: str) -> None:
    (p,) = distributions(1)
    found = COMBINATIONS[name](logs([p, p, p]), [0.2, 0.5, 0.3])
    assert_close(found, np.log(p), "float32")


@every_combination
def test_tiny_probabilities_do_not_vanish(name: str) -> None:
    log_probs = tf.constant([[0.0, -300.0]])
    found = COMBINATIONS[name]([log_probs, log_probs], [0.5, 0.5])
    assert_close(found, log_probs, "float32")


@every_combination
def test_what_is_no_number_stays_none(name: str) -> None:
    (right,) = logs(distributions(1))
    wrong = tf.fill(right.shape, float("nan"))
    assert np.isnan(COMBINATIONS[name]([right, wrong], [0.5, 0.5])).all()
