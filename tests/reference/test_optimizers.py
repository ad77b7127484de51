"""The published updates on numbers that can be worked out by hand."""

import numpy as np
import pytest

from tests.reference import optimizers
from tests.reference.optimizers import Moments

PARAMETERS = [np.array([1.0, 2.0]), np.array([[3.0]])]
GRADIENTS = [np.array([3.0, 0.0]), np.array([[-4.0]])]


@pytest.mark.parametrize(("limit", "factor"), [(2.5, 0.5), (5.0, 1.0), (9.0, 1.0)])
def test_rescale_halves_a_norm_of_5_at_2_5(limit: float, factor: float) -> None:
    rescaled = optimizers.rescale(GRADIENTS, limit)
    for ours, gradient in zip(rescaled, GRADIENTS, strict=True):
        np.testing.assert_allclose(ours, factor * gradient)


def test_sgd_follows_the_gradient() -> None:
    moved = optimizers.sgd(PARAMETERS, GRADIENTS, rate=0.5)
    np.testing.assert_allclose(moved[0], [-0.5, 2.0])
    np.testing.assert_allclose(moved[1], [[5.0]])


def test_first_update_of_adam_is_the_rate_against_the_sign() -> None:
    moments = Moments.zeros(PARAMETERS)
    moved, _ = optimizers.adam(PARAMETERS, GRADIENTS, moments, update=1, rate=0.1)
    np.testing.assert_allclose(moved[0], [0.9, 2.0], atol=1e-6)
    np.testing.assert_allclose(moved[1], [[3.1]], atol=1e-6)


def test_first_update_of_adadelta_does_not_depend_on_the_gradients_size() -> None:
    moments = Moments.zeros(PARAMETERS)
    moved, _ = optimizers.adadelta(PARAMETERS, GRADIENTS, moments)
    # sqrt(epsilon) / sqrt((1 - rho) g^2) g = sqrt(1e-6 / 0.05) = 0.00447
    np.testing.assert_allclose(moved[0], [1 - 0.00447, 2.0], atol=1e-5)
    np.testing.assert_allclose(moved[1], [[3 + 0.00447]], atol=1e-5)
