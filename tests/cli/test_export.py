"""nmt-export from its flags to its folder."""

import json
import pathlib
import sys

import pytest

from nmt.cli import export
from tests import tiny_models


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["nmt-export", *arguments])
    with pytest.raises(SystemExit) as ended:
        export.run()
    return ended.value.code or 0


def test_flags_reach_the_manifest(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = tiny_models.random_model(cell="gru", attention="bahdanau")
    folder = tiny_models.write_run_folder(loaded, tmp_path / "run")
    flags = ["--beam_size=3", "--n_best=2", "--batch_size=5", "--length_penalty=0.5"]
    flags += ["--coverage_penalty=0.25", "--keep_finished", "--replace_unknown"]
    (tmp_path / "words").write_text("w1\tone\n")
    flags += ["--max_source_tokens=77", "--version=4"]
    flags += [f"--dictionary={tmp_path / 'words'}"]
    output = tmp_path / "exported"
    assert (
        run(monkeypatch, f"--run_dir={folder.path}", f"--output={output}", *flags) == 0
    )
    about = json.loads((output / "4" / "manifest.json").read_text())
    expected = {
        "beam_size": 3,
        "n_best": 2,
        "batch_size": 5,
        "length_penalty": 0.5,
        "coverage_penalty": 0.25,
        "keep_finished": True,
        "replace_unknown": True,
        "max_source_tokens": 77,
    }
    assert {name: about["options"][name] for name in expected} == expected


def test_compression_is_reported(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = tiny_models.random_model(embedding_size=32, hidden_size=32)
    folder = tiny_models.write_run_folder(loaded, tmp_path / "run")
    (tmp_path / "source").write_text("w1 w2\n\nw3 w4 w5\n")
    (tmp_path / "reference").write_text("w1 w2\n\nw3\n")
    flags = [f"--run_dir={folder.path}", "--compression=int8", "--beam_size=2"]
    flags += [f"--{side}={tmp_path / side}" for side in ("source", "reference")]
    assert run(monkeypatch, *flags, f"--output={tmp_path / 'exported'}") == 0
    about = json.loads((tmp_path / "exported" / "1" / "manifest.json").read_text())
    found = about["compression"]
    assert found["kind"] == "int8"
    assert found["bytes_of_float32"] == 4 * loaded.model.count_params()
    assert found["bytes"] < 0.4 * found["bytes_of_float32"]
    assert found["score"]["metric"] == "bleu"
    # The blank line, at least.
    assert found["score"]["equal"] >= 1 / 3


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--source=a", "--reference=b"], "source: is for what a compression costs"),
        (["--compression=int8", "--source=a"], "source and reference: give both"),
        (["--compression=int4"], "compression"),
    ],
)
def test_compressions_that_make_no_sense_are_one_line(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    flags: list[str],
    message: str,
) -> None:
    assert run(monkeypatch, "--run_dir=nowhere", "--output=nowhere", *flags) == 1
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_what_is_wrong_is_one_line(
    tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    output = tmp_path / "exported"
    assert run(monkeypatch, "--run_dir=nowhere", f"--output={output}") == 1
    assert "nowhere: no such run folder" in capsys.readouterr().err
    assert not output.exists()
