"""Penalties against the formulas of the paper."""

import numpy as np
import pytest
import tensorflow as tf

from nmt.decoding.length_penalty import coverage_penalty, length_penalty


def test_divisor_is_the_formula_of_the_paper() -> None:
    lengths = np.array([1.0, 2.0, 10.0, 40.0])
    expected = [(5 + n) ** 0.6 / 6**0.6 for n in lengths]
    np.testing.assert_allclose(length_penalty(lengths, 0.6), expected)


@pytest.mark.parametrize("length", [1.0, 5.0, 30.0])
def test_without_alpha_it_is_one(length: float) -> None:
    assert length_penalty(length, 0.0) == 1.0


def test_it_grows_with_length_and_alpha() -> None:
    assert (
        length_penalty(8.0, 0.6) < length_penalty(9.0, 0.6) < length_penalty(9.0, 1.0)
    )


def test_mean_divides_by_the_length_alone() -> None:
    assert length_penalty(8.0, 0.6, "mean") == 8.0


def test_coverage_is_the_formula_of_the_paper() -> None:
    random = np.random.default_rng(0)
    sums = random.uniform(0, 2, size=(2, 3, 6))
    mask = random.uniform(size=(2, 1, 6)) < 0.7
    sums[0, 0, 0], mask[0] = 0.0, True
    logs = np.log(np.minimum(np.maximum(sums, 1e-9), 1.0))
    expected = np.where(mask, logs, 0.0).sum(axis=2)
    found = coverage_penalty(tf.constant(sums, tf.float32), tf.constant(mask))
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    assert np.all(np.isfinite(found))
