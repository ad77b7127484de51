"""From files to a report."""

import dataclasses
import json
import pathlib

import pytest
from absl import logging

from nmt.errors import UserError
from nmt.evaluation import files
from nmt.evaluation.files import evaluate_files
from nmt.evaluation.request import EvaluationRequest
from nmt.evaluation.score import ComparedScore


@pytest.fixture(autouse=True)
def _files(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "plain": "The cat sat on the mat.\nA dog.\n",
        "tokenized": "The cat sat on the mat .\nA dog .\n",
        "table": "a\tAH0\na\tEY1\n",
        "phones": "EY1\nEY1\n",
        "long": "a b c\na b c d\n",
        "vocab": "The\ncat\nsat\non\nthe\nmat.\nA\n",
        "pieces": "\u2581a\nb\n",
    }.items():
        pathlib.Path(name).write_text(text, encoding="utf-8")


def test_report_is_written(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    report = evaluate_files(EvaluationRequest("plain", "plain"))
    assert [score.name for score in report.scores] == ["bleu", "chrf", "ter"]
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
        (
            EvaluationRequest("missing", "plain", source="plain", by_length="5,4"),
            "--by_length=5,4: ",
        ),
        (EvaluationRequest("missing", "plain", bootstrap_seed=0), "--bootstrap_seed=0"),
        (
            EvaluationRequest(
                "plain",
                "plain",
                source="plain",
                by_rank=2,
                source_vocabulary="pieces",
            ),
            "pieces: has pieces of words",
        ),
        (
            EvaluationRequest(
                "plain",
                "plain",
                source="plain",
                by_rank=3,
                source_vocabulary="vocab",
            ),
            "--by_rank=3: there are only 2 lines",
        ),
    ],
)
def test_requests_without_sense_are_refused(
    bad_request: EvaluationRequest, message: str
) -> None:
    with pytest.raises(UserError, match=message):
        evaluate_files(bad_request)


def test_words_are_looked_up_as_they_are() -> None:
    request = EvaluationRequest(
        "plain",
        "plain",
        source="plain",
        by_rank=2,
        without_unknown=True,
        source_vocabulary="vocab",
        target_vocabulary="vocab",
        lowercase=True,
        output="o",
    )
    report = evaluate_files(request)
    assert report.by_word_rank is not None
    # "dog." is not in the vocabulary.
    assert report.by_word_rank.unknown_words == 1
    assert [group.highest for group in report.by_word_rank.groups] == [3.5, 7.5]
    assert report.without_unknown is not None
    assert report.without_unknown.lines == 1


def test_samples_and_seed_reach_the_test() -> None:
    request = EvaluationRequest(
        "plain", "plain", baseline="long", bootstrap_samples=9, output="o"
    )
    tests = evaluate_files(request).paired_bootstrap
    assert [(test.samples, test.seed) for test in tests] == [(9, 12345)] * 3
    request = dataclasses.replace(request, bootstrap_samples=0)
    assert evaluate_files(request).paired_bootstrap == ()


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int, list[str]]]:
    """What would be drawn: file, groups and names."""
    plots: list[tuple[str, int, list[str]]] = []
    monkeypatch.setattr(files, "check_plot", lambda path: None)
    monkeypatch.setattr(
        files,
        "draw_lengths",
        lambda path, groups, names: plots.append((path, len(groups), names)),
    )
    return plots


def test_plot_has_a_line_a_system(drawn: list[tuple[str, int, list[str]]]) -> None:
    request = EvaluationRequest(
        "plain", "plain", source="long", by_length="3", plot="p.svg", output="o"
    )
    evaluate_files(request)
    evaluate_files(dataclasses.replace(request, baseline="long"))
    assert drawn == [("p.svg", 2, ["plain"]), ("p.svg", 2, ["plain", "long"])]


@pytest.mark.parametrize(("by_length", "tokens"), [("", "1"), ("4", "1-4"), ("2", "3")])
def test_plot_of_one_group_is_refused_before_anything_is_written(
    drawn: list[tuple[str, int, list[str]]], by_length: str, tokens: str
) -> None:
    request = EvaluationRequest(
        "plain",
        "plain",
        source="long",
        by_length=by_length,
        plot="p.svg",
        output="out",
    )
    message = rf"--plot=p.svg: one group .* all 2 sources have {tokens}[+] tokens"
    if by_length == "4":
        message = message.replace("[+]", "")
    with pytest.raises(UserError, match=message):
        evaluate_files(request)
    assert not drawn
    assert not pathlib.Path("out").exists()
