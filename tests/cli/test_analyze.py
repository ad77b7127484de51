"""nmt-analyze from its flags to its files."""

import json
import pathlib
import sys

import pytest

from nmt.cli import analyze
from tests import tiny_models


@pytest.fixture(autouse=True)
def files(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    loaded = tiny_models.random_model(cell="gru", attention="bahdanau")
    tiny_models.write_run_folder(loaded, tmp_path / "run")
    for name, text in {
        "source": "w1 w2\nw3\nw4 w5 w6\n",
        "target": "w1\nw2 w3\nw4\n",
        "groups": "x\ny\nx\n",
        "vocab": "w1\nw2\nw3\nw4\nw5\nw6\n",
    }.items():
        pathlib.Path(name).write_text(text)


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["nmt-analyze", *arguments])
    with pytest.raises(SystemExit) as ended:
        analyze.run()
    return ended.value.code or 0


def test_alignments(monkeypatch: pytest.MonkeyPatch) -> None:
    flags = ["--run_dir=run", "--source=source", "--target=target", "--output=out"]
    assert run(monkeypatch, "alignments", *flags, "--lines=2") == 0
    (line,) = pathlib.Path("out/alignments.jsonl").read_text().splitlines()
    assert json.loads(line)["target_tokens"] == ["w2", "w3"]
    assert pathlib.Path("out/alignment-2.svg").is_file()


def test_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    flags = ["--run_dir=run", "--source=source", "--groups=groups", "--output=out"]
    assert run(monkeypatch, "sentences", *flags) == 0
    assert pathlib.Path("out/metadata.tsv").read_text().startswith("sentence\tgroup\n")


def test_lengths(monkeypatch: pytest.MonkeyPatch) -> None:
    flags = ["--hypotheses=target,source", "--names=A,B", "--reference=target"]
    flags += ["--source=source", "--by_length=1,2", "--metric=chrf", "--output=out"]
    flags += ["--source_vocabulary=vocab", "--by_rank=3"]
    assert run(monkeypatch, "lengths", *flags) == 0
    for name in ("lengths", "ranks"):
        rows = pathlib.Path("out", f"{name}.tsv").read_text().splitlines()
        assert len(rows) == 1 + 2 * 3


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "give a command: alignments, sentences or lengths; see --help"),
        (["pictures"], "unexpected argument 'pictures'"),
        (["alignments"], "must have a value"),
        (
            ["alignments", "--run_dir=r", "--source=s", "--output=o", "--lines=nan"],
            "--lines=nan: give whole numbers",
        ),
    ],
)
def test_errors_are_one_line(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    said: str,
) -> None:
    assert run(monkeypatch, *arguments) == 1
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert said in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("command", ["alignments", "sentences", "lengths"])
def test_help_lists_the_flags_of_the_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    assert run(monkeypatch, command, "--help") == 0
    text = capsys.readouterr().out
    assert "--source" in text
    assert ("--hypotheses: " in text) == (command == "lengths")
