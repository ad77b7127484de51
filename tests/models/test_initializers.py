"""How weights start."""

import numpy as np
import pytest

from nmt.errors import UserError
from nmt.models.initializers import make_initializers


def test_uniform_is_the_papers() -> None:
    start = make_initializers("uniform", 0.08)
    drawn = []
    for kind in (start.embeddings, start.kernel, start.recurrent_kernel, start.bias):
        values = np.asarray(kind((50, 40)))
        assert np.abs(values).max() <= 0.08
        assert values.std() == pytest.approx(0.08 / np.sqrt(3), rel=0.05)
        drawn.append(values)
    assert not any(np.array_equal(drawn[0], other) for other in drawn[1:])
    assert not start.unit_forget_bias


def test_keras_opens_the_forget_gate() -> None:
    assert make_initializers("keras", 0.08).unit_forget_bias


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(UserError, match="'glorot'"):
        make_initializers("glorot", 1.0)
