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


def test_what_is_wrong_is_one_line(
    tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    output = tmp_path / "exported"
    assert run(monkeypatch, "--run_dir=nowhere", f"--output={output}") == 1
    assert "nowhere: no such run folder" in capsys.readouterr().err
    assert not output.exists()
