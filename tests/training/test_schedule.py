"""Learning rates at the examples where they change."""

import pytest

from nmt.config import TrainingConfig
from nmt.errors import UserError
from nmt.training.schedule import Position, learning_rate, progress


def paper() -> TrainingConfig:
    return TrainingConfig(
        learning_rate=0.7,
        schedule="halving",
        halve_from_epoch=5.0,
        max_epochs=7.5,
        warmup_updates=0,
    )


# 1001 pairs: half an epoch is 500.5 of them, so that the change is at a whole example.
@pytest.mark.parametrize(
    ("examples", "halvings"),
    [
        (0, 0),
        (5 * 1001 - 1, 0),
        (5 * 1001, 1),
        (5 * 1001 + 500, 1),
        (5 * 1001 + 501, 2),
        (6 * 1001 - 1, 2),
        (6 * 1001, 3),
        (7 * 1001 + 501, 6),
    ],
)
def test_halving_changes_at_the_papers_half_epochs(
    examples: int, halvings: int
) -> None:
    rate = learning_rate(paper(), Position(1, examples, 1001))
    assert rate == 0.7 / 2**halvings


def test_halving_counts_examples_and_not_updates() -> None:
    early = learning_rate(paper(), Position(10**6, 10, 1000))
    late = learning_rate(paper(), Position(1, 6000, 1000))
    assert early == 0.7
    assert late == 0.7 / 8


def test_training_ends_within_an_epoch() -> None:
    assert progress(paper(), Position(1, 7499, 1000)) < 1.0
    assert progress(paper(), Position(1, 7500, 1000)) == 1.0


def test_the_nearer_limit_counts() -> None:
    config = TrainingConfig(max_epochs=10.0, max_updates=100)
    assert progress(config, Position(50, 1000, 1000)) == 0.5
    assert progress(config, Position(10, 8000, 1000)) == 0.8


def test_linear_falls_to_zero() -> None:
    config = TrainingConfig(
        learning_rate=2.0, schedule="linear", max_epochs=4.0, warmup_updates=0
    )
    rates = [learning_rate(config, Position(1, n, 100)) for n in (0, 100, 300, 400)]
    assert rates == [2.0, 1.5, 0.5, 0.0]


def test_warmup_rises_from_the_first_update() -> None:
    config = TrainingConfig(learning_rate=1.0, schedule="constant", warmup_updates=4)
    rates = [learning_rate(config, Position(n, 0, 100)) for n in range(6)]
    assert rates == [0.25, 0.5, 0.75, 1.0, 1.0, 1.0]


def test_an_unknown_schedule_is_refused() -> None:
    config = TrainingConfig(schedule="cosine")
    with pytest.raises(UserError, match=r"schedule='cosine'.*'halving'"):
        learning_rate(config, Position(0, 0, 1))
