"""From files to a report."""

import dataclasses
import json
import pathlib

import pytest
from absl import logging

from nmt.errors import UserError
from nmt.evaluation.files import EvaluationRequest, evaluate_files
from nmt.evaluation.score import ComparedScore


@pytest.fixture(autouse=True)
def files(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "plain": "The cat sat on the mat.\nA dog.\n",
        "tokenized": "The cat sat on the mat .\nA dog .\n",
        "table": "a\tAH0\na\tEY1\n",
        "phones": "EY1\nEY1\n",
    }.items():
        pathlib.Path(name).write_text(text, encoding="utf-8")


def test_report_is_written(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    report = evaluate_files(EvaluationRequest("plain", "plain"))
    assert [score.name for score in report.scores] == ["bleu", "chrf"]
    assert capfdbinary.readouterr().out.decode() == report.text()
    evaluate_files(EvaluationRequest("plain", "plain", format="json", output="out"))
    assert json.loads(pathlib.Path("out").read_text())["lines"] == 2


def test_table_means_error_rates() -> None:
    report = evaluate_files(
        EvaluationRequest("phones", reference_tsv="table", output="out")
    )
    assert [(score.name, score.value) for score in report.scores] == [
        ("word_error_rate", 0.0),
        ("phone_error_rate", 0.0),
    ]


def test_lengths_and_baseline_are_in_the_report() -> None:
    request = EvaluationRequest(
        "plain",
        "plain",
        source="plain",
        baseline="tokenized",
        by_length="2",
        output="o",
    )
    report = evaluate_files(dataclasses.replace(request, bleu_tokenizer="none"))
    assert [group.lines for group in report.by_source_length] == [1, 1]
    bleu = report.scores[0]
    assert isinstance(bleu, ComparedScore)
    assert bleu.difference > 0.0


def test_rows_of_a_table_have_lengths() -> None:
    report = evaluate_files(
        EvaluationRequest("phones", reference_tsv="table", by_length="1", output="out")
    )
    assert [group.lines for group in report.by_source_length] == [2, 0]


@pytest.mark.parametrize(
    ("hypotheses", "tokenizer", "warned"),
    [
        ("tokenized", "13a", True),
        ("tokenized", "none", False),
        ("plain", "13a", False),
    ],
)
def test_tokenized_hypotheses_are_warned_of(
    monkeypatch: pytest.MonkeyPatch, hypotheses: str, tokenizer: str, warned: bool
) -> None:
    warnings = []
    monkeypatch.setattr(logging, "warning", warnings.append)
    evaluate_files(
        EvaluationRequest(hypotheses, "plain", bleu_tokenizer=tokenizer, output="out")
    )
    assert bool(warnings) == warned


def test_tokenized_baseline_is_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    warnings: list[str] = []
    monkeypatch.setattr(logging, "warning", warnings.append)
    evaluate_files(
        EvaluationRequest("plain", "plain", baseline="tokenized", output="o")
    )
    assert [warning.split()[0] for warning in warnings] == ["tokenized"]


@pytest.mark.parametrize(
    ("bad_request", "message"),
    [
        (EvaluationRequest("plain"), "either --reference or --reference_tsv"),
        (EvaluationRequest("plain", "plain", "table"), "either --reference or"),
        (EvaluationRequest("missing", "plain", metrics=("rouge",)), "'rouge'"),
        (EvaluationRequest("missing", "plain", by_length="5"), "needs --source"),
        (
            EvaluationRequest("missing", "plain", source="plain", by_length="5,4"),
            "--by_length=5,4: ",
        ),
    ],
)
def test_requests_without_sense_are_refused(
    bad_request: EvaluationRequest, message: str
) -> None:
    with pytest.raises(UserError, match=message):
        evaluate_files(bad_request)
