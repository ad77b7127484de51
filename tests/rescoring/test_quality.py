"""BLEU of what is chosen, and what could have been."""

import pytest
import sacrebleu

from nmt.config import EvaluationConfig
from nmt.evaluation import Bootstrap
from nmt.rescoring.quality import Quality

CONFIG = EvaluationConfig(bleu_tokenizer="none")
REFERENCES = ["a b c d e", "f g h i", "j k l m n"]
LISTS = [
    # The right one is eleventh: the oracle of the first 10 does not see it.
    ["a b c x e", "a b c d x", *["x"] * 8, "a b c d e"],
    ["f g h", "f g h i j", "f g h i"],
    [],
]
CHOICES = [{"lstm": 1, "mix": 10}, {"lstm": 1, "mix": 1}, {}]


def collected() -> Quality:
    quality = Quality(CONFIG, ["lstm"])
    for reference, hypotheses, choices in zip(REFERENCES, LISTS, CHOICES, strict=True):
        quality.add(reference, hypotheses, choices)
    return quality


def test_scores_are_those_of_the_chosen_texts() -> None:
    texts = {
        "1-best": ["a b c x e", "f g h", ""],
        "lstm": ["a b c d x", "f g h i j", ""],
        "mix": ["a b c d e", "f g h i j", ""],
        "oracle of the first 10": ["a b c d x", "f g h i", ""],
        "oracle of the first 100": ["a b c d e", "f g h i", ""],
    }
    found = collected().scores()
    assert [each.system for each in found] == list(texts)
    for each, text in zip(found, texts.values(), strict=True):
        expected = sacrebleu.corpus_bleu(text, [REFERENCES], tokenize="none")
        assert each.score.value == expected.score
        assert each.difference == each.score.value - found[0].score.value
        assert "nrefs:1" in each.score.signature


def test_the_mix_is_tested_against_the_1_best() -> None:
    found = collected().test(Bootstrap(samples=200, seed=3))
    assert found.mean > found.baseline_mean
    assert found.samples == 200
    quality = Quality(CONFIG, [])
    for reference in REFERENCES:
        quality.add(reference, [reference], {"mix": 0})
    assert quality.test(Bootstrap(samples=10)).p_value == 1


def test_equal_hypotheses_are_the_oracle_of_the_first() -> None:
    # Both have no word in common with the reference: by sentence BLEU they are equal.
    quality = Quality(CONFIG, [])
    quality.add("a b c d", ["x y", "x y z x y z"], {"mix": 1})
    quality.add("a b c d", ["a b c d"], {"mix": 0})
    first, mix, *oracles = quality.scores()
    assert mix.score.value < first.score.value
    assert {each.score.value for each in oracles} == {first.score.value}
    assert first.score.value == pytest.approx(
        100 * (4 / 6 * 3 / 4 * 2 / 2) ** 0.25, 0.5
    )
