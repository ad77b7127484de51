"""chrF is sacrebleu's."""

import sacrebleu

from nmt.config import EvaluationConfig
from nmt.evaluation.chrf import corpus_chrf


def test_value_is_that_of_sacrebleu() -> None:
    hypotheses, references = ["The cat sat.", "A dog"], ["the cat sits.", "a dog!"]
    score = corpus_chrf(
        hypotheses, [(line,) for line in references], EvaluationConfig()
    )
    assert score.value == sacrebleu.corpus_chrf(hypotheses, [references]).score
    assert "nc:6" in score.signature
    ignoring_case = corpus_chrf(
        hypotheses,
        [(line,) for line in references],
        EvaluationConfig(lowercase=True),
    )
    assert ignoring_case.value > score.value
