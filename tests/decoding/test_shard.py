"""Parts of a file."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nmt.decoding.shard import Shard
from nmt.errors import UserError


@given(lines=st.integers(0, 200), count=st.integers(1, 20))
def test_parts_in_order_are_the_whole_and_about_equal(lines: int, count: int) -> None:
    parts = [Shard(number, count).bounds(lines) for number in range(1, count + 1)]
    assert [place for part in parts for place in range(*part)] == list(range(lines))
    sizes = [last - first for first, last in parts]
    assert max(sizes) - min(sizes) <= 1


def test_k_and_n_are_read() -> None:
    assert Shard.parse("2/3") == Shard(2, 3)
    assert Shard.parse("1/1").bounds(7) == (0, 7)


@pytest.mark.parametrize(
    "text", ["", "3", "0/3", "4/3", "1/0", "1/", "/3", "-1/3", "1/3/3", "a/b", "1.5/2"]
)
def test_what_is_no_part_is_refused(text: str) -> None:
    with pytest.raises(UserError, match="give K/N"):
        Shard.parse(text)
