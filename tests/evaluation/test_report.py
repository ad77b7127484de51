"""The report of an evaluation, as text and as JSON."""

import json

from nmt.config import EvaluationConfig
from nmt.evaluation.bootstrap import Bootstrap
from nmt.evaluation.references import ScoredLines
from nmt.evaluation.scoring import Breakdown, evaluate
from nmt.evaluation.words import RankedWords

CONFIG = EvaluationConfig(bleu_tokenizer="none")
METRICS = ["bleu", "word_error_rate"]


def lines_of_lengths(*lengths: int) -> ScoredLines:
    sources = [" ".join(f"{length}.{i}" for i in range(length)) for length in lengths]
    right = [(source.replace(".1", ".x"),) for source in sources]
    return ScoredLines(sources, right, sources)


def test_baseline_is_in_text_and_json() -> None:
    lines = lines_of_lengths(6, 12)
    report = evaluate(lines._replace(baseline=["", "0 1"]), ["bleu"], CONFIG)
    told = json.loads(report.json())
    assert told["scores"][0]["baseline"]["value"] == 0.0
    group = told["by_source_length"][1]["scores"][0]
    assert group["difference"] == group["value"] - group["baseline"]["value"]
    value = f"{report.scores[0].value:.2f}"
    text = report.text()
    assert f"bleu = {value}, baseline 0.00, difference +{value}  nrefs:" in text
    assert "\n    baseline: n-grams" in text


def test_text_and_json_tell_the_same() -> None:
    report = evaluate(lines_of_lengths(6, 12), METRICS, CONFIG)
    told = json.loads(report.json())
    assert told["scores"][0]["value"] == report.scores[0].value
    assert told["by_source_length"][1]["lines"] == 1
    text = report.text()
    assert f"bleu = {report.scores[0].value:.2f}  {report.scores[0].signature}" in text
    assert "word_error_rate = 100.00" in text
    assert "2 lines\n" in text
    assert "\n11+                  1 " in text
    bleu = report.by_source_length[1].scores[0]
    assert f"\n    11+       {bleu.details}\n" in text


def test_lower_is_better_stands_where_it_is_so() -> None:
    lines = ScoredLines(["a b c d"], [("a b c d",)], None)
    text = evaluate(lines, ["bleu", "ter"], CONFIG).text()
    assert "    0 edits, 4 reference words; lower is better\n" in text
    assert text.count("lower is better") == 1


def test_paired_bootstrap_is_in_text_and_json() -> None:
    lines = lines_of_lengths(6, 12, 8)._replace(baseline=["", "0 1", ""])
    report = evaluate(lines, ["bleu"], CONFIG, bootstrap=Bootstrap(1200, 7))
    (test,) = report.paired_bootstrap
    (told,) = json.loads(report.json())["paired_bootstrap"]
    assert told["p_value"] == test.p_value
    assert (told["samples"], told["seed"]) == (1200, 7)
    text = report.text()
    assert "\npaired bootstrap of the difference, 1,200 samples, seed 7;" in text
    assert f"\nbleu: p = {test.p_value:.4f}, {test.mean:.2f} +- " in text
    assert "bs:1200|seed:7|" in text


def test_tables_of_words_are_in_text_and_json() -> None:
    lines = ScoredLines(["a b", "a c"], [("a b",), ("a b",)], ["a a", "a b z"])
    words = RankedWords("some.vocab", {"a": 1, "b": 2})
    breakdown = Breakdown(rank_words=words, rank_groups=2, known_words=(words, words))
    report = evaluate(lines, ["word_error_rate"], CONFIG, breakdown)
    told = json.loads(report.json())
    assert told["by_word_rank"]["groups"][1]["highest"] == 2.0
    assert told["without_unknown"]["lines"] == 1
    text = report.text()
    assert "1 of 5 words are not in it and count as 3\n" in text
    assert "\n2.0-2.0              1            100.00\n" in text
    assert "\n1 of 2 lines have no unknown word: " in text
    assert "\nall                  2             50.00\n" in text
    assert "\nno unknown           1              0.00\n" in text
