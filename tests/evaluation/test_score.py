"""A score stays what was measured."""

import dataclasses

import pytest

from nmt.evaluation.score import Score


def test_score_cannot_be_changed_after_it_was_made() -> None:
    score = Score("bleu", 12.5, "nrefs:1")
    with pytest.raises(dataclasses.FrozenInstanceError):
        score.value = 99.0


def test_scores_are_equal_only_with_equal_signatures() -> None:
    cased = Score("bleu", 12.5, "case:mixed")
    assert cased == Score("bleu", 12.5, "case:mixed")
    assert cased != Score("bleu", 12.5, "case:lc")
