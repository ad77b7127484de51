"""nmt-rescore from its flags to its output."""

import json
import pathlib
import sys

import pytest

from nmt.cli import rescore
from tests import tiny_models
from tests.rescoring.lists import write_files


@pytest.fixture(scope="module")
def run_dir(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("runs") / "lstm"
    loaded = tiny_models.random_model()
    return str(tiny_models.write_run_folder(loaded, folder).path)


def run(
    monkeypatch: pytest.MonkeyPatch,
    folder: pathlib.Path,
    run_dir: str,
    *arguments: str,
) -> int:
    write_files(folder)
    monkeypatch.chdir(folder)
    flags = [f"--run_dir={run_dir}", "--source=source", "--n_best=n_best"]
    monkeypatch.setattr(sys, "argv", ["nmt-rescore", *flags, *arguments])
    with pytest.raises(SystemExit) as ended:
        rescore.run()
    return ended.value.code or 0


def test_flags_reach_the_lists(
    run_dir: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flags = ["--output=output", "--rerank=best", "--n_best_output=new"]
    flags += ["--reference=reference", "--bleu_tokenizer=none", "--lowercase"]
    flags += ["--report=report", "--report_json=report.json", "--bootstrap_samples=20"]
    flags += ["--mix=weights=total:1,lstm:0.5,words:0.25", "--bootstrap_seed=7"]
    assert run(monkeypatch, tmp_path, run_dir, *flags) == 0
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["mix"] == {"total": 1, "lstm": 0.5, "words": 0.25}
    assert report["paired_bootstrap"]["samples"] == 20
    assert report["paired_bootstrap"]["seed"] == 7
    assert "case:lc" in report["scores"][0]["score"]["signature"]
    assert "tok:none" in report["scores"][0]["score"]["signature"]
    assert (tmp_path / "report").read_text().startswith("6 hypotheses for 3 of 4")
    assert len((tmp_path / "best").read_text().splitlines()) == 4
    lines = (tmp_path / "output").read_text().splitlines()
    assert sorted(lines) == sorted((tmp_path / "new").read_text().splitlines())
    assert all(" lstm= -" in line for line in lines)


def test_weights_are_tuned(
    run_dir: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flags = ["--output=output", "--reference=reference", "--mix=tune:weights"]
    flags += ["--tune_restarts=1", "--tune_seed=9", "--tune_features=LM,TM.1"]
    assert run(monkeypatch, tmp_path, run_dir, *flags) == 0
    written = json.loads((tmp_path / "weights").read_text())
    assert (written["restarts"], written["seed"]) == (1, 9)
    assert list(written["weights"]) == ["total", "lstm", "words", "LM", "TM.1"]


@pytest.mark.parametrize(
    ("flag", "message"),
    [
        ("--mix=mean", "--mix=mean: give even"),
        ("--checkpoint=worst", "--checkpoint=worst"),
        ("--weights=x", "weights: could not convert"),
        ("--n_best=missing", "missing: no such file"),
        ("--rerank=output", "--output and --rerank are both output"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    run_dir: str,
    tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    flag: str,
    message: str,
) -> None:
    assert run(monkeypatch, tmp_path, run_dir, "--output=output", flag) == 1
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert not (tmp_path / "output").exists()


def test_lists_are_ranked_without_models(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    flags = ["--source=source", "--n_best=n_best", "--rerank=best"]
    flags += ["--mix=weights=total:1,words:2"]
    monkeypatch.setattr(sys, "argv", ["nmt-rescore", *flags])
    with pytest.raises(SystemExit) as ended:
        rescore.run()
    assert not ended.value.code
    best = (tmp_path / "best").read_text().splitlines()
    assert best == ["w1 w2 w3 w4", "", "w8 ||| unheard", "w3 w4 w5 w6"]
    assert {path.name for path in tmp_path.iterdir()} == {
        *("source", "reference", "n_best", "best")
    }


def test_help_says_sign_and_base(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["nmt-rescore", "--help"])
    with pytest.raises(SystemExit) as ended:
        rescore.run()
    assert not ended.value.code
    text = " ".join(capsys.readouterr().out.split())
    assert "as a natural logarithm: higher is better" in text
    assert "--n_best_output" in text
