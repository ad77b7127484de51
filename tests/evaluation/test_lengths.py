"""Groups of lines by the length of their sources."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nmt.errors import UserError
from nmt.evaluation.lengths import (
    LengthGroup,
    group_by_length,
    length_ranges,
    parse_boundaries,
)

ascending = st.sets(st.integers(1, 80)).map(sorted)


@given(boundaries=ascending, lengths=st.lists(st.integers(0, 100)))
def test_every_length_is_in_exactly_one_range(
    boundaries: list[int], lengths: list[int]
) -> None:
    ranges = length_ranges(boundaries, lengths)
    assert len(ranges) == len(boundaries) + 1
    for length in lengths:
        assert sum(each.holds(length) for each in ranges) == 1


def test_boundary_is_the_longest_length_of_its_range() -> None:
    ranges = length_ranges([10, 20], [1, 99])
    assert [str(each) for each in ranges] == ["1-10", "11-20", "21+"]
    assert [each.holds(20) for each in ranges] == [False, True, False]
    assert [each.holds(21) for each in ranges] == [False, False, True]


def test_first_range_starts_at_zero_only_for_empty_lines() -> None:
    assert str(length_ranges([10], [5, 0])[0]) == "0-10"
    assert str(length_ranges([10], [5, 3])[0]) == "1-10"


@given(boundaries=ascending.filter(bool))
def test_boundaries_are_read_as_they_are_written(boundaries: list[int]) -> None:
    text = ",".join(map(str, boundaries))
    assert parse_boundaries(text) == tuple(boundaries)
    assert parse_boundaries(text.replace(",", ", ")) == tuple(boundaries)


def test_auto_means_tens() -> None:
    assert parse_boundaries("auto") == (10, 20, 30, 40, 50, 60)


@pytest.mark.parametrize(
    "bad",
    [
        "20,10",
        "10,10",
        "0,10",
        "-5",
        "10,",
        ",",
        "ten",
        "1.5",
        "1_0",
        "Auto",
        "9" * 20,
    ],
)
def test_bad_boundaries_are_refused(bad: str) -> None:
    with pytest.raises(UserError, match=f"^--by_length={bad}: give numbers") as error:
        parse_boundaries(bad)
    assert "\n" not in str(error.value)


def test_lines_are_grouped_by_the_tokens_of_their_sources() -> None:
    sources = ["a b c", "", "a", "a b c d"]
    groups = group_by_length(sources, [2, 3])
    assert [(str(each), inside) for each, inside in groups] == [
        ("0-2", [False, True, True, False]),
        ("3-3", [True, False, False, False]),
        ("4+", [False, False, False, True]),
    ]


@pytest.mark.parametrize(
    ("longest", "last"), [(9, "1+"), (10, "1+"), (11, "11+"), (99, "61+")]
)
def test_usual_groups_end_where_the_lines_do(longest: int, last: str) -> None:
    groups = group_by_length(["a", " ".join("b" * longest)], None)
    assert str(groups[-1][0]) == last
    assert str(LengthGroup(*groups[-1][0], 1, ())) == last


def test_no_lines_are_one_empty_group() -> None:
    assert group_by_length([], None) == [((1, None), [])]
