"""Which settings a run may change when it goes on."""

import pytest

from nmt.config import Config
from nmt.errors import UserError
from nmt.training.resume import changes, check_resumable


def test_equal_settings_have_no_changes() -> None:
    assert changes(Config(), Config()) == []


def test_a_changed_rate_is_reported_with_both_values() -> None:
    new = Config()
    new.training.learning_rate = 0.5
    (change,) = check_resumable(Config(), new)
    assert change == ("training.learning_rate", 0.002, 0.5, False)


@pytest.mark.parametrize(
    ("section", "field", "value"),
    [
        ("model", "hidden_size", 512),
        ("data", "reverse_source", False),
        ("data", "source_tokenizer", "words"),
        ("training", "optimizer", "sgd"),
    ],
)
def test_a_changed_architecture_is_refused_with_both_values(
    section: str, field: str, value: object
) -> None:
    new = Config()
    old = getattr(getattr(new, section), field)
    setattr(getattr(new, section), field, value)
    with pytest.raises(UserError) as error:
        check_resumable(Config(), new)
    for part in (f"{section}.{field}", repr(old), repr(value)):
        assert part in str(error.value)


def test_dropout_may_change() -> None:
    new = Config()
    new.model.dropout = 0.5
    (change,) = check_resumable(Config(), new)
    assert not change.fixed


def test_another_number_of_slices_can_go_on() -> None:
    new = Config()
    new.placement.softmax_shards, new.placement.softmax_recompute = 4, True
    found = check_resumable(Config(), new)
    assert [change.name for change in found] == [
        "placement.softmax_shards",
        "placement.softmax_recompute",
    ]
