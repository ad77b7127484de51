"""Groups of lines by the length of their sources."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nmt.errors import UserError
from nmt.evaluation.lengths import (
    LengthGroup,
    length_ranges,
    length_tables,
    parse_boundaries,
)
from nmt.evaluation.score import Score, compare

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


def test_tables_show_empty_groups_without_scores() -> None:
    groups = [
        LengthGroup(1, 10, 0, ()),
        LengthGroup(11, None, 1200, (Score("bleu", 12.345, "s", "some"),)),
    ]
    assert [line.split() for line in length_tables(groups)] == [
        [],
        ["source", "tokens", "lines", "bleu"],
        ["1-10", "0", "-"],
        ["11+", "1,200", "12.35"],
        ["11+", "some"],
    ]


def test_tables_show_the_baseline_beside() -> None:
    score = compare(Score("bleu", 12.0, "s", "some"), Score("bleu", 12.5, "s", "other"))
    groups = [LengthGroup(1, 10, 3, (score,)), LengthGroup(11, None, 0, ())]
    assert [line.split() for line in length_tables(groups)] == [
        [],
        ["source", "tokens", "lines", "bleu", "baseline", "difference"],
        ["1-10", "3", "12.00", "12.50", "-0.50"],
        ["11+", "0", "-", "-", "-"],
        ["1-10", "some"],
        ["baseline:", "other"],
    ]


def test_there_is_a_table_for_each_metric_and_none_without_groups() -> None:
    scores = Score("bleu", 1.0, "s"), Score("chrf", 2.0, "s")
    lines = list(length_tables([LengthGroup(1, None, 1, scores)]))
    assert [line.split()[-1:] for line in lines] == [
        *([], ["bleu"], ["1.00"]),
        *([], ["chrf"], ["2.00"]),
    ]
    assert list(length_tables([])) == []
