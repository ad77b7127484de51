"""Central differences of a function whose gradient is known."""

import numpy as np
import pytest

from tests.reference import differences

VALUES = np.array([[1.0, -2.0, 3.0], [0.5, 0.0, 4.0]])


@pytest.mark.parametrize("sample", [None, 4, 99])
def test_gradient_of_a_cubic(sample: int | None) -> None:
    values = VALUES.copy()
    measured = differences.numeric_gradient(
        lambda: (values**3).sum(), values, sample, seed=1
    )
    np.testing.assert_array_equal(values, VALUES)
    assert np.isfinite(measured).sum() == (4 if sample == 4 else 6)
    differences.assert_gradient(3 * VALUES**2, measured)
    with pytest.raises(AssertionError):
        differences.assert_gradient(3 * VALUES**2 + 1e-3, measured)


def test_the_seed_chooses_the_sample() -> None:
    def measured(seed: int) -> np.ndarray:
        array = np.zeros(100)
        return differences.numeric_gradient(array.sum, array, sample=5, seed=seed)

    np.testing.assert_array_equal(measured(1), measured(1))
    assert (np.isnan(measured(1)) != np.isnan(measured(2))).any()


def test_arrays_walks_in_order() -> None:
    a, b, c = (np.full(1, value) for value in range(3))
    assert list(differences.arrays((a, [b, None], (c,)))) == [a, b, c]
