"""A score stays what was measured."""

import dataclasses

import pytest

from nmt.evaluation.score import Score, compare


def test_score_cannot_be_changed_after_it_was_made() -> None:
    score = Score("bleu", 12.5, "nrefs:1")
    with pytest.raises(dataclasses.FrozenInstanceError):
        score.value = 99.0


def test_scores_are_equal_only_with_equal_signatures() -> None:
    cased = Score("bleu", 12.5, "case:mixed")
    assert cased == Score("bleu", 12.5, "case:mixed")
    assert cased != Score("bleu", 12.5, "case:lc")


def test_comparison_keeps_both_and_their_difference() -> None:
    score, baseline = Score("bleu", 12.5, "s", "a"), Score("bleu", 14.0, "s", "b")
    compared = compare(score, baseline)
    assert Score(compared.name, compared.value, "s", compared.details) == score
    assert compared.baseline == baseline
    assert compared.difference == -1.5
    assert compared.signed_difference == "-1.50"


@pytest.mark.parametrize(
    ("value", "shown"), [(10.0, "+0.00"), (9.999, "+0.00"), (9.99, "-0.01")]
)
def test_difference_of_nothing_has_no_minus(value: float, shown: str) -> None:
    compared = compare(Score("bleu", value, "s"), Score("bleu", 10.0, "s"))
    assert compared.signed_difference == shown
