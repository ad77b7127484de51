"""How the factor of the loss goes up and down in float16."""

import pytest

from nmt.config import TrainingConfig
from nmt.training.checkpoints import Counters
from nmt.training.loss_scale import INITIAL, adjust, loss_scale

HALF = TrainingConfig(precision="float16")


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_other_precisions_have_no_factor(precision: str) -> None:
    config, counters = TrainingConfig(precision=precision), Counters(1, "")
    assert not adjust(config, counters, finite=False)
    assert loss_scale(config, counters) == 1.0
    assert counters == Counters(1, "")


def test_infinite_gradients_halve_it_down_to_one() -> None:
    counters = Counters(1, "")
    scales = []
    explained = []
    for _ in range(17):
        scales.append(loss_scale(HALF, counters))
        explained.append(adjust(HALF, counters, finite=False))
    assert scales == [max(INITIAL / 2**i, 1.0) for i in range(17)]
    # With a factor of 1 they are the model's own fault.
    assert explained == [True] * 15 + [False] * 2


def test_many_finite_ones_in_a_row_double_it() -> None:
    counters = Counters(1, "")
    adjust(HALF, counters, finite=True)
    adjust(HALF, counters, finite=False)
    for _ in range(1999):
        assert not adjust(HALF, counters, finite=True)
    assert counters.loss_scale == INITIAL / 2
    adjust(HALF, counters, finite=True)
    assert counters.loss_scale == INITIAL
    assert counters.updates_at_scale == 0
