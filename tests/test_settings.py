"""Dataclasses from JSON: nested, partial, and what is refused."""

import dataclasses

import pytest

from nmt.errors import UserError
from nmt.settings import from_dict


@dataclasses.dataclass
class Inner:
    sizes: tuple[int, ...] = (1, 2)
    name: str = "a"


@dataclasses.dataclass
class Outer:
    inner: Inner = dataclasses.field(default_factory=Inner)
    count: int = 3


def test_what_is_not_named_keeps_its_default() -> None:
    found = from_dict(Outer, {"inner": {"sizes": [4]}}, "file")
    assert found == Outer(Inner((4,), "a"), 3)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"other": 1}, "file: unknown setting 'other'"),
        ({"inner": {"size": 1}}, "file: inner: unknown setting 'size'"),
        ({"inner": 5}, "file: inner: expected an object of settings, got 5"),
        ([], "file: expected an object"),
    ],
)
def test_what_is_no_setting_is_refused(values: object, message: str) -> None:
    with pytest.raises(UserError, match=message):
        from_dict(Outer, values, "file")
