"""Lines are read as the codec reads them."""

import pytest
import tensorflow as tf

from nmt.export.lines import read_lines
from tests import tiny_models

CODEC = tiny_models.codec(tiny_models.WORDS)
LINES = tf.constant([b"w1 w2 w3", b" ", b"w4 \xff never"])


@pytest.mark.parametrize("longest", [None, 2, 99])
def test_what_is_read_and_what_is_cut(longest: int | None) -> None:
    found = read_lines(CODEC, LINES, longest)
    limit = 99 if longest is None else longest
    tokens = [["w1", "w2", "w3"], [], ["w4", "\ufffd", "never"]]
    expected = [row[:limit] for row in tokens]
    assert [[each.decode() for each in row] for row in found.tokens.to_list()] == (
        expected
    )
    assert (
        found.ids.to_list()
        == CODEC.encode(tf.constant([" ".join(row) for row in expected])).to_list()
    )
    assert found.lengths.numpy().tolist() == [len(row) for row in expected]
    assert found.is_cut.numpy().tolist() == [len(row) > limit for row in tokens]
