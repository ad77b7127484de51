"""How weights start."""

import numpy as np
import pytest

from nmt.errors import UserError
from nmt.models.initializers import BlockOrthogonal, fresh, make_initializers


def test_uniform_is_the_lstm_papers() -> None:
    start = make_initializers("uniform", 0.08)
    drawn = []
    for kind in (
        start.embeddings,
        start.kernel,
        start.recurrent_kernel,
        start.bias,
        start.alignment_kernel,
        start.energy_vector,
    ):
        values = np.asarray(kind((50, 40)))
        assert np.abs(values).max() <= 0.08
        assert values.std() == pytest.approx(0.08 / np.sqrt(3), rel=0.05)
        drawn.append(values)
    assert not any(np.array_equal(drawn[0], other) for other in drawn[1:])
    assert not start.unit_forget_bias


def test_bahdanau_is_rnnsearchs() -> None:
    start = make_initializers("bahdanau", 0.08)
    for kind in (start.embeddings, start.kernel):
        assert np.std(kind((100, 80))) == pytest.approx(0.01, rel=0.05)
    assert np.std(start.alignment_kernel((100, 80))) == pytest.approx(0.001, rel=0.05)
    assert (start.bias, start.energy_vector) == ("zeros", "zeros")
    assert not start.unit_forget_bias


def test_keras_opens_the_forget_gate() -> None:
    assert make_initializers("keras", 0.08).unit_forget_bias
    assert make_initializers("keras", 0.08).recurrent("lstm")["unit_forget_bias"]
    assert "unit_forget_bias" not in make_initializers("keras", 0.08).recurrent("gru")


def test_each_layer_gets_values_of_its_own() -> None:
    start = make_initializers("uniform", 0.08)
    one, other = (start.dense()["kernel_initializer"]((3, 4)) for _ in range(2))
    assert np.abs(one - other).max() > 1e-3


def test_fresh_keeps_what_is_not_random() -> None:
    assert fresh("zeros") == "zeros"
    assert fresh("glorot_uniform") == "glorot_uniform"


def test_orthogonal_blocks_differ_and_can_be_drawn_again() -> None:
    draw = BlockOrthogonal(seed=5)
    kernel = np.asarray(draw((4, 12)))
    blocks = np.split(kernel, 3, axis=1)
    for block in blocks:
        np.testing.assert_allclose(block @ block.T, np.eye(4), atol=1e-6)
    assert np.abs(blocks[0] - blocks[1]).max() > 0.1
    again = BlockOrthogonal.from_config(draw.get_config())
    np.testing.assert_array_equal(again((4, 12)), kernel)
    assert np.abs(BlockOrthogonal(seed=6)((4, 12)) - kernel).max() > 0.1
    assert np.abs(BlockOrthogonal()((4, 12)) - BlockOrthogonal()((4, 12))).max() > 0.1


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(UserError, match="'glorot'"):
        make_initializers("glorot", 1.0)
