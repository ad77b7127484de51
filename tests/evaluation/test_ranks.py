"""Groups of lines by how rare the words of their sources are."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from nmt.evaluation.ranks import average_rank, equal_groups

values = st.lists(st.integers(0, 9).map(float), min_size=1, max_size=40)


@given(values, st.integers(1, 8))
def test_every_line_is_in_exactly_one_group(means: list[float], groups: int) -> None:
    cut = equal_groups(means, groups)
    assert 1 <= len(cut) <= groups
    for i in range(len(means)):
        assert sum(inside[i] for inside in cut) == 1
    assert all(map(any, cut))


@given(values, st.integers(1, 8))
def test_groups_are_ascending_and_equal_values_together(
    means: list[float], groups: int
) -> None:
    own = [
        {mean for mean, chosen in zip(means, inside, strict=True) if chosen}
        for inside in equal_groups(means, groups)
    ]
    for lower, higher in itertools.pairwise(own):
        assert max(lower) < min(higher)


@given(
    st.lists(st.integers(), unique=True, min_size=1, max_size=60), st.integers(1, 60)
)
def test_groups_of_distinct_values_are_equal_to_a_line(
    means: list[int], groups: int
) -> None:
    groups = min(groups, len(means))
    sizes = [sum(inside) for inside in equal_groups(means, groups)]
    assert len(sizes) == groups
    assert max(sizes) - min(sizes) <= 1


def test_average_is_over_words_and_zero_without() -> None:
    assert average_rank([1, 2, 9]) == 4.0
    assert average_rank([]) == 0.0
