"""nmt-evaluate from its flags to its report."""

import json
import pathlib
import sys

import pytest

from nmt.cli import evaluate


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["nmt-evaluate", *arguments])
    with pytest.raises(SystemExit) as ended:
        evaluate.run()
    return ended.value.code or 0


@pytest.fixture(autouse=True)
def files(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "made": "ey1\nB IY1\n",
        "right": "EY1\nB IY1\nC\n",
        "table.tsv": "a\tAH0\nb\tB IY1\na\tEY1\n",
        "words": "a\nb\n",
        "vocab": "b\na\n",
        "phones": "B\nIY1\nother\n",
        "pieces": "\u2581a\n",
    }.items():
        pathlib.Path(name).write_text(text, encoding="utf-8")


def test_flags_reach_the_report(monkeypatch: pytest.MonkeyPatch) -> None:
    flags = ["--hypotheses=made", "--reference_tsv=table.tsv", "--source=words"]
    flags += ["--metric=phone_error_rate,bleu", "--lowercase", "--bleu_tokenizer=none"]
    assert run(monkeypatch, *flags, "--format=json", "--output=report") == 0
    scores = json.loads(pathlib.Path("report").read_text(encoding="utf-8"))["scores"]
    assert [score["name"] for score in scores] == ["phone_error_rate", "bleu"]
    assert scores[0]["value"] == 0.0
    assert "case:lc" in scores[1]["signature"]
    assert "tok:none" in scores[1]["signature"]


def test_lengths_and_baseline_reach_the_report(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    flags = ["--hypotheses=made", "--reference=made", "--source=words"]
    flags += ["--baseline=words", "--by_length=1,3", "--metric=chrf"]
    assert run(monkeypatch, *flags, "--format=json", "--output=report") == 0
    report = json.loads(pathlib.Path("report").read_text(encoding="utf-8"))
    assert report["scores"][0]["difference"] > 0.0
    assert [
        (group["shortest"], group["longest"], group["lines"], len(group["scores"]))
        for group in report["by_source_length"]
    ] == [(1, 1, 2, 1), (2, 3, 0, 0), (4, None, 0, 0)]


def test_words_and_bootstrap_reach_the_report(monkeypatch: pytest.MonkeyPatch) -> None:
    flags = ["--hypotheses=made", "--reference=made", "--source=words"]
    flags += ["--baseline=words", "--metric=ter", "--by_rank=2", "--without_unknown"]
    flags += ["--source_vocabulary=vocab", "--target_vocabulary=phones"]
    flags += ["--bootstrap_samples=50", "--bootstrap_seed=3"]
    assert run(monkeypatch, *flags, "--format=json", "--output=report") == 0
    report = json.loads(pathlib.Path("report").read_text(encoding="utf-8"))
    assert [group["lowest"] for group in report["by_word_rank"]["groups"]] == [1.0, 2.0]
    assert report["without_unknown"]["lines"] == 1
    (test,) = report["paired_bootstrap"]
    assert (test["name"], test["samples"], test["seed"]) == ("ter", 50, 3)
    assert 0.0 < test["p_value"] <= 1.0


def test_plot_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    flags = ["--hypotheses=made", "--reference=made", "--source=made"]
    flags += ["--by_length=1", "--plot=plot.svg", "--output=report"]
    assert run(monkeypatch, *flags) == 0
    assert "</svg>" in pathlib.Path("plot.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (
            [
                "--hypotheses=made",
                "--reference=made",
                "--source=words",
                "--by_rank=2",
                "--source_vocabulary=pieces",
            ],
            "pieces: has pieces of words",
        ),
        (
            ["--hypotheses=made", "--reference=made", "--plot=a.gif", "--source=words"],
            "--plot=a.gif: the file's ending",
        ),
        (
            ["--hypotheses=made", "--reference=made", "--bootstrap_samples=x"],
            "--bootstrap_samples=x",
        ),
        (["--hypotheses=made"], "either --reference or --reference_tsv"),
        (["--reference=right"], "--hypotheses"),
        (["--hypotheses=made", "--reference=right"], "made has 2 lines and right 3"),
        (
            ["--hypotheses=made", "--reference=made", "--baseline=right"],
            "made has 2 lines and right 3",
        ),
        (
            ["--hypotheses=made", "--reference=made", "--by_length=auto"],
            "--by_length needs --source",
        ),
        (
            [
                "--hypotheses=made",
                "--reference=made",
                "--source=words",
                "--by_length=9,x",
            ],
            "--by_length=9,x: give numbers of tokens",
        ),
    ],
)
def test_what_cannot_be_scored_is_one_line(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    flags: list[str],
    message: str,
) -> None:
    assert run(monkeypatch, *flags) == 1
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
