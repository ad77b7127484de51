"""Batches of lines of about equal length."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nmt.config import DecodingConfig
from nmt.decoding.batches import length_limits, plan_batches


@given(
    st.lists(st.integers(0, 30) | st.integers(0, 6000), max_size=60),
    st.integers(1, 20),
)
def test_every_line_with_tokens_is_in_one_batch(
    lengths: list[int], batch_size: int
) -> None:
    batches = list(plan_batches(np.array(lengths, np.int64), batch_size))
    places = [place for batch in batches for place in batch.tolist()]
    assert sorted(places) == [i for i, length in enumerate(lengths) if length]
    assert [lengths[place] for place in places] == sorted(filter(None, lengths))
    for batch in batches:
        padded = len(batch) * max(lengths[place] for place in batch)
        assert len(batch) <= batch_size
        assert len(batch) == 1 or padded <= batch_size * 50


def test_very_long_line_is_alone() -> None:
    lengths = np.array([20] * 70 + [5000] + [30] * 10)
    assert [70] in [batch.tolist() for batch in plan_batches(lengths, 64)]


def test_limits_grow_with_the_line_and_leave_room_for_a_token() -> None:
    lengths = np.array([1, 7, 5000])
    settings = DecodingConfig(max_length_factor=1.5, max_length_offset=3)
    assert length_limits(lengths, settings).tolist() == [4, 13, 7503]
    none = DecodingConfig(max_length_factor=0.0, max_length_offset=0)
    assert length_limits(lengths, none).tolist() == [1, 1, 1]
