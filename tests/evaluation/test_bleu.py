"""BLEU is sacrebleu's, on the text as it is given."""

import pytest
import sacrebleu

from nmt.config import EvaluationConfig
from nmt.errors import UserError
from nmt.evaluation.bleu import corpus_bleu, looks_tokenized
from nmt.evaluation.measure import reference_streams

HYPOTHESES = ["The cat sat on the mat.", "A dog, or two!", ""]
REFERENCES = ["The cat sat on a mat.", "A dog or two!", "Nothing was said."]


@pytest.mark.parametrize("tokenizer", ["13a", "none", "intl", "char"])
@pytest.mark.parametrize("lowercase", [False, True])
def test_value_is_that_of_sacrebleu(tokenizer: str, lowercase: bool) -> None:
    score = corpus_bleu(
        HYPOTHESES,
        [(line,) for line in REFERENCES],
        EvaluationConfig(bleu_tokenizer=tokenizer, lowercase=lowercase),
    )
    expected = sacrebleu.corpus_bleu(
        HYPOTHESES, [REFERENCES], tokenize=tokenizer, lowercase=lowercase
    )
    assert score.value == expected.score
    assert f"tok:{tokenizer}" in score.signature
    assert f"case:{'lc' if lowercase else 'mixed'}" in score.signature
    assert sacrebleu.__version__ in score.signature


def test_lines_may_have_several_references() -> None:
    references = [("another", REFERENCES[0]), (REFERENCES[1],), (REFERENCES[2],)]
    assert reference_streams(references) == [
        ("another", *REFERENCES[1:]),
        (REFERENCES[0], None, None),
    ]
    several = corpus_bleu(HYPOTHESES, references, EvaluationConfig())
    one = corpus_bleu(HYPOTHESES, [(x,) for x in REFERENCES], EvaluationConfig())
    assert several.value >= one.value
    assert "nrefs:var" in several.signature


def test_unknown_tokenizer_is_refused() -> None:
    config = EvaluationConfig(bleu_tokenizer="moses")
    with pytest.raises(UserError, match="'moses': choose one of 13a, "):
        corpus_bleu(HYPOTHESES, [(line,) for line in REFERENCES], config)


@pytest.mark.parametrize(
    ("line", "tokenized"),
    [
        ("a man , a plan .", True),
        ("un chien court ; il saute !", False),
        ("A man, a plan.", False),
        ("v 1.5 costs 3,000 .", True),
        ("a pl@@ an", True),
        ("\u2581a \u2581plan", True),
        ("AH0 B EY1 T", False),
        ("", False),
    ],
)
def test_tokenized_text_is_noticed(line: str, tokenized: bool) -> None:
    assert looks_tokenized(["nothing to see", line]) == tokenized
