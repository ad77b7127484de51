"""How far a result may be from its reference, for each type of number."""

import numpy as np
import numpy.typing as npt

# Relative to the largest number of the reference (at least 1).
TOLERANCES = {"float64": 1e-10, "float32": 1e-5, "float16": 1e-2, "bfloat16": 5e-2}


def assert_close(
    actual: npt.ArrayLike, expected: npt.ArrayLike, dtype: str, what: str = ""
) -> None:
    """Compares numbers that were computed in `dtype`."""
    actual, expected = np.asarray(actual, float), np.asarray(expected, float)
    largest = np.abs(expected).max(initial=1.0)
    np.testing.assert_allclose(
        actual, expected, rtol=0, atol=TOLERANCES[dtype] * largest, err_msg=what
    )
