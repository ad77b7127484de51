"""Every dropped pair is counted once, for one reason, with its line."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nmt.data.drops import Dropped, DropRule, LengthLimits


def test_pairs_are_dropped_for_the_first_reason_that_applies() -> None:
    rule = DropRule(LengthLimits(source=2, target=3))
    source = np.array([1, 0, 0, 3, 3, 1, 2])
    target = np.array([1, 1, 0, 1, 4, 4, 3])
    kept = rule.kept(source, target)
    assert np.flatnonzero(kept).tolist() == [0, 6]
    assert rule.dropped() == (
        Dropped("empty source", 2, (2, 3)),
        Dropped("source over 2 tokens", 2, (4, 5)),
        Dropped("target over 3 tokens", 1, (6,)),
    )


def test_lines_go_on_from_chunk_to_chunk_and_the_first_are_named() -> None:
    rule = DropRule(LengthLimits(9, 9))
    for _ in range(4):
        rule.kept(np.array([1, 1, 1]), np.array([1, 0, 0]))
    assert rule.dropped() == (Dropped("empty target", 8, (2, 3, 5, 6, 8)),)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9))))
def test_what_is_not_kept_is_counted(lengths: list[tuple[int, int]]) -> None:
    rule = DropRule(LengthLimits(5, 7))
    pairs = np.array(lengths, int).reshape(-1, 2)
    kept = rule.kept(pairs[:, 0], pairs[:, 1])
    assert kept.tolist() == [0 < s <= 5 and 0 < t <= 7 for s, t in lengths]
    assert sum(one.pairs for one in rule.dropped()) == np.sum(~kept)
