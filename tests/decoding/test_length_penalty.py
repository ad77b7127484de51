import numpy as np
import pytest

from nmt.decoding.length_penalty import length_penalty


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
