"""BLEU of choices from lists is sacrebleu's of the chosen text."""

import numpy as np
import pytest
import sacrebleu

from nmt.config import EvaluationConfig
from nmt.evaluation.list_bleu import ListBleu, sentence_bleu, text_bleu

REFERENCES = ["the cat sat on the mat", "A dog, or two of them!", "nothing was said"]
LISTS = [
    ["the cat sat on a mat", "the cat", "the the the the", "", "cat sat on the mat ."],
    ["a dog , or two of them !", "A dog, or two!", "A dog or two of them!"],
    ["something", "nothing was said"],
]


@pytest.mark.parametrize("tokenizer", ["none", "13a"])
@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("choice", [(0, 0, 0), (4, 2, 1), (3, 1, 0), (1, 1, 1)])
def test_score_is_that_of_the_chosen_text(
    tokenizer: str, lowercase: bool, choice: tuple[int, ...]
) -> None:
    config = EvaluationConfig(bleu_tokenizer=tokenizer, lowercase=lowercase)
    bleu = ListBleu(config)
    counts = np.stack(
        [
            bleu.count(hypotheses, reference)[place]
            for hypotheses, reference, place in zip(
                LISTS, REFERENCES, choice, strict=True
            )
        ]
    )
    text = [each[place] for each, place in zip(LISTS, choice, strict=True)]
    expected = sacrebleu.corpus_bleu(
        text, [REFERENCES], tokenize=tokenizer, lowercase=lowercase
    )
    found = bleu.score(counts)
    assert found.value == expected.score
    assert f"nrefs:1|case:{'lc' if lowercase else 'mixed'}" in found.signature
    assert f"tok:{tokenizer}" in found.signature
    if all(expected.counts):
        assert text_bleu(counts.sum(axis=0)) == pytest.approx(expected.score)


def test_text_without_a_shared_word_has_no_bleu() -> None:
    counts = ListBleu(EvaluationConfig()).count(["x y", ""], "a b c d e")
    assert text_bleu(counts).tolist() == [0, 0]
    assert sentence_bleu(counts).tolist() == [0, 0]


def test_sentence_bleu_adds_one_above_unigrams() -> None:
    config = EvaluationConfig(bleu_tokenizer="none")
    metric = sacrebleu.BLEU(
        smooth_method="add-k", smooth_value=1, effective_order=True, tokenize="none"
    )
    for hypotheses, reference in zip(LISTS, REFERENCES, strict=True):
        found = sentence_bleu(ListBleu(config).count(hypotheses, reference))
        expected = [metric.sentence_score(x, [reference]).score for x in hypotheses]
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=0)


def test_no_hypotheses() -> None:
    assert ListBleu(EvaluationConfig()).count([], "a").shape == (0, 10)
