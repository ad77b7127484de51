"""TER is sacrebleu's."""

import pytest
import sacrebleu

from nmt.config import EvaluationConfig
from nmt.evaluation.ter import corpus_ter

HYPOTHESES = ["The cat sat here", "a dog"]
REFERENCES = ["here the cat sat", "A dog runs"]


@pytest.mark.parametrize("lowercase", [False, True])
def test_value_is_that_of_sacrebleu(lowercase: bool) -> None:
    score = corpus_ter(
        HYPOTHESES,
        [(line,) for line in REFERENCES],
        EvaluationConfig(lowercase=lowercase),
    )
    expected = sacrebleu.corpus_ter(
        HYPOTHESES, [REFERENCES], case_sensitive=not lowercase
    )
    assert score.value == expected.score
    assert f"case:{'lc' if lowercase else 'mixed'}|tok:tercom" in score.signature


def test_shift_is_one_edit() -> None:
    config = EvaluationConfig(lowercase=True)
    score = corpus_ter(HYPOTHESES[:1], [(REFERENCES[0],)], config)
    assert (score.value, score.details) == (25.0, "1 edits, 4 reference words")


def test_closest_reference_counts_and_their_mean_length() -> None:
    score = corpus_ter(["a b"], [("a b", "c d e f")], EvaluationConfig())
    assert score.details == "0 edits, 3 reference words"


def test_nothing_to_compare_with_does_not_divide_by_zero() -> None:
    assert corpus_ter([""], [("",)], EvaluationConfig()).value == 0.0
