"""What a line became."""

import dataclasses

from nmt.decoding.translation import BLANK, Hypothesis, Translation

BEST = Hypothesis("a b", ("a", "b"), -2.0, True, -1.0)
OTHER = Hypothesis("c", ("c",), -3.0, False, -3.0)
TRANSLATION = Translation(("x", "y"), (BEST, OTHER), source_tokens=2)


def test_the_first_hypothesis_speaks_for_the_list() -> None:
    assert TRANSLATION.text == "a b"
    assert TRANSLATION.tokens == ("a", "b")
    assert TRANSLATION.log_prob == -2.0
    assert TRANSLATION.finished
    turned = dataclasses.replace(TRANSLATION, n_best=(OTHER, BEST))
    assert turned.text == "c"
    assert not turned.finished


def test_a_line_is_cut_if_less_was_read_than_there_was() -> None:
    assert not TRANSLATION.is_cut
    assert dataclasses.replace(TRANSLATION, source_tokens=3).is_cut


def test_blank_line_is_whole_and_certain() -> None:
    assert (BLANK.text, BLANK.tokens, BLANK.log_prob) == ("", (), 0.0)
    assert BLANK.finished
    assert not BLANK.is_cut
    assert not BLANK.is_long
