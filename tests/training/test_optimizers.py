"""Optimizers by name."""

import pytest

from nmt.config import TrainingConfig
from nmt.errors import UserError
from nmt.training.optimizers import make_optimizer


def test_sgd_has_no_momentum_and_nobody_clips() -> None:
    optimizer = make_optimizer(TrainingConfig(optimizer="sgd", learning_rate=0.7))
    assert optimizer.momentum == 0
    for name in ("sgd", "adam", "adadelta"):
        optimizer = make_optimizer(TrainingConfig(optimizer=name))
        assert optimizer.clipnorm is None
        assert optimizer.global_clipnorm is None


def test_adadelta_has_the_papers_constants() -> None:
    config = TrainingConfig(optimizer="adadelta", learning_rate=1.0)
    optimizer = make_optimizer(config)
    assert (optimizer.rho, optimizer.epsilon) == (0.95, 1e-6)
    assert float(optimizer.learning_rate) == 1.0


def test_slots_have_the_same_names_for_every_optimizer_made() -> None:
    first, second = (make_optimizer(TrainingConfig()) for _ in range(2))
    assert first.name == second.name


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(UserError, match="optimizer='lion'"):
        make_optimizer(TrainingConfig(optimizer="lion"))
