"""Error rates with several right lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nmt.config import EvaluationConfig
from nmt.evaluation.error_rate import edit_distance, phone_error_rate, word_error_rate
from tests.reference import edit_distance as by_definition

HYPOTHESES = ["T AH0 M EY1 T OW0", "D AO1 G", "", "K AE1"]
REFERENCES = [
    ("T AH0 M AA1 T OW0", "T AH0  M EY1 T OW0"),
    ("D AA1 G",),
    ("AH0",),
    ("K AE1 T S", "K AE1 T"),
]
CONFIG = EvaluationConfig()
short = st.text("ab", max_size=5)


@given(short, short)
def test_distance_is_the_fewest_edits(first: str, second: str) -> None:
    assert edit_distance(first, second) == by_definition.edit_distance(first, second)


def test_word_error_rate_accepts_any_reference() -> None:
    # The second has another vowel, the third nothing, the fourth lacks a phone.
    score = word_error_rate(HYPOTHESES, REFERENCES, CONFIG)
    assert score.value == 75.0
    assert score.details == "3 of 4 lines"


def test_phone_error_rate_takes_the_closest_reference() -> None:
    # Edits 0 + 1 + 1 + 1 for references of 6 + 3 + 1 + 3 phones.
    score = phone_error_rate(HYPOTHESES, REFERENCES, CONFIG)
    assert score.value == pytest.approx(100 * 3 / 13)
    assert score.details == "3 edits, 13 reference tokens"


@pytest.mark.parametrize("metric", [word_error_rate, phone_error_rate])
def test_case_counts_unless_it_is_ignored(metric: type) -> None:
    strict = metric(["d ao1"], [("D AO1",)], EvaluationConfig())
    lax = metric(["d ao1"], [("D AO1",)], EvaluationConfig(lowercase=True))
    assert (strict.value, lax.value) == (100.0, 0.0)
    assert "case:mixed" in strict.signature
    assert "case:lc" in lax.signature


def test_references_without_tokens_do_not_divide_by_zero() -> None:
    assert phone_error_rate([""], [("",)], CONFIG).value == 0.0
