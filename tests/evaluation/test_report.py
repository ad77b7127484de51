"""The report of an evaluation."""

import json

from nmt.config import EvaluationConfig
from nmt.evaluation.metrics import score_alternatives
from nmt.evaluation.references import ScoredLines
from nmt.evaluation.report import evaluate

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
    lines = lines_of_lengths(0, 10, 11, 20, 61, 300, 4)
    table = evaluate(lines, METRICS, CONFIG).by_source_length
    assert [(row.shortest, row.longest, row.lines) for row in table] == [
        (0, 10, 3),
        (11, 20, 2),
        (61, 300, 2),
    ]
    middle = lines.select(
        [length in (11, 20) for length in (0, 10, 11, 20, 61, 300, 4)]
    )
    assert table[1].scores[0] == score_alternatives("bleu", *middle[:2], CONFIG)


def test_no_table_without_sources_or_with_one_length() -> None:
    lines = lines_of_lengths(3, 5)
    assert evaluate(lines, METRICS, CONFIG).by_source_length == ()
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
    assert text.split("\n")[-2].split()[:2] == ["12-12", "1"]
