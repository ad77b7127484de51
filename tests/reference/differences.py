"""Gradients by central differences, to check others against."""

from collections.abc import Callable, Iterator

import numpy as np


def arrays(parameters: object) -> Iterator[np.ndarray]:
    """All arrays of nested tuples and lists, in order; a None has none."""
    if isinstance(parameters, np.ndarray):
        yield parameters
    elif isinstance(parameters, tuple | list):
        for value in parameters:
            yield from arrays(value)


def numeric_gradient(
    function: Callable[[], float],
    array: np.ndarray,
    sample: int | None = None,
    seed: int = 0,
    step: float = 1e-5,
) -> np.ndarray:
    """d function() / d array, entry by entry, of a float64 `array` that it reads.

    With `sample`, only so many random entries are measured; the others are NaN. Each
    entry is moved in place and put back.
    """
    measured = np.full(array.shape, np.nan)
    entries = np.arange(array.size)
    if sample is not None and sample < array.size:
        entries = np.random.default_rng(seed).choice(entries, sample, replace=False)
    for entry in entries:
        index = np.unravel_index(entry, array.shape)
        kept = array[index]
        array[index] = kept + step
        above = function()
        array[index] = kept - step
        below = function()
        array[index] = kept
        assert np.isfinite(above - below)
        measured[index] = (above - below) / (2 * step)
    return measured


def assert_gradient(
    actual: np.ndarray, measured: np.ndarray, atol: float = 1e-7, what: str = ""
) -> None:
    """Compares where `measured` is a number, which it must be somewhere."""
    assert actual.shape == measured.shape, what
    known = ~np.isnan(measured)
    assert known.any(), what
    np.testing.assert_allclose(
        actual[known], measured[known], rtol=0, atol=atol, err_msg=what
    )
