"""The report of an evaluation."""

import json

from hypothesis import given
from hypothesis import strategies as st

from nmt.config import EvaluationConfig
from nmt.evaluation.metrics import score_alternatives
from nmt.evaluation.references import ScoredLines
from nmt.evaluation.report import evaluate
from nmt.evaluation.score import ComparedScore, compare

CONFIG = EvaluationConfig(bleu_tokenizer="none")
METRICS = ["bleu", "word_error_rate"]


def lines_of_lengths(*lengths: int) -> ScoredLines:
    sources = [" ".join(f"{length}.{i}" for i in range(length)) for length in lengths]
    right = [(source.replace(".1", ".x"),) for source in sources]
    return ScoredLines(sources, right, sources)


def test_scores_are_those_of_the_metrics() -> None:
    lines = lines_of_lengths(5, 30)
    report = evaluate(lines, METRICS, CONFIG)
    assert report.lines == 2
    assert report.scores == tuple(
        score_alternatives(metric, *lines[:2], CONFIG, lines.sources)
        for metric in METRICS
    )


def test_table_covers_every_line_once() -> None:
    lengths = (0, 10, 11, 20, 31, 32, 4)
    lines = lines_of_lengths(*lengths)
    table = evaluate(lines, METRICS, CONFIG).by_source_length
    assert [(row.shortest, row.longest, row.lines) for row in table] == [
        (0, 10, 3),
        (11, 20, 2),
        (21, 30, 0),
        (31, None, 2),
    ]
    middle = lines.select([length in (11, 20) for length in lengths])
    assert table[1].scores[0] == score_alternatives("bleu", *middle[:2], CONFIG)
    assert table[2].scores == ()


@given(
    lengths=st.lists(st.integers(0, 12), min_size=1, max_size=8),
    boundaries=st.sets(st.integers(1, 12), max_size=3).map(sorted),
)
def test_groups_that_are_asked_for_are_all_there(
    lengths: list[int], boundaries: list[int]
) -> None:
    lines = lines_of_lengths(*lengths)
    table = evaluate(lines, ["phone_error_rate"], CONFIG, boundaries).by_source_length
    assert [row.longest for row in table] == [*boundaries, None]
    assert sum(row.lines for row in table) == len(lengths)
    assert [bool(row.scores) for row in table] == [row.lines > 0 for row in table]


@given(lengths=st.lists(st.integers(1, 12), min_size=1, max_size=8))
def test_group_of_all_lines_scores_as_the_whole(lengths: list[int]) -> None:
    lines = lines_of_lengths(*lengths)
    report = evaluate(lines, METRICS, CONFIG, [12])
    everything, nothing = report.by_source_length
    assert everything.scores == report.scores
    assert (everything.lines, nothing.lines) == (len(lengths), 0)


def test_baseline_stands_beside_every_score() -> None:
    lines = lines_of_lengths(6, 12)
    worse = lines._replace(hypotheses=[lines.hypotheses[0], "0 x x x x"])
    report = evaluate(
        lines._replace(baseline=worse.hypotheses), METRICS, CONFIG, [10, 20]
    )
    system, other = (
        evaluate(each, METRICS, CONFIG, [10, 20]) for each in (lines, worse)
    )
    assert report.scores == tuple(map(compare, system.scores, other.scores))
    for row, *expected in zip(
        report.by_source_length,
        system.by_source_length,
        other.by_source_length,
        strict=True,
    ):
        assert row.scores == tuple(map(compare, expected[0].scores, expected[1].scores))
    short, long, _ = (row.scores for row in report.by_source_length)
    assert isinstance(short[0], ComparedScore)
    assert isinstance(long[0], ComparedScore)
    assert short[0].difference == 0.0 < long[0].difference
    assert "brevity penalty" in long[0].baseline.details


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


def test_no_table_without_sources_or_with_one_length() -> None:
    lines = lines_of_lengths(3, 5)
    assert evaluate(lines, METRICS, CONFIG).by_source_length == ()
    assert len(evaluate(lines, METRICS, CONFIG, [10]).by_source_length) == 2
    assert evaluate(lines_of_lengths(15), METRICS, CONFIG).by_source_length == ()
    unknown = lines_of_lengths(3, 50)._replace(sources=None)
    assert evaluate(unknown, METRICS, CONFIG).by_source_length == ()


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
