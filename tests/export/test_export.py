"""An exported folder, moved, in a process that knows nothing of this package."""

import json
import pathlib
import shutil
import subprocess
import sys

import pytest

from nmt.config import Config
from nmt.data.vocabulary import SPECIAL_TOKENS
from nmt.decoding import SearchOptions, Translator
from nmt.errors import UserError
from nmt.export import ExportRequest, ServingOptions, export_model
from tests import tiny_models

LINES = ["w1 w2 w3", "", "w4 never w5", "w6 w7 w8 w9"]
CLIENT = """
import json, sys
import tensorflow as tf
model = tf.saved_model.load(sys.argv[1])
lines = json.loads(sys.argv[2])
answers = {}
for count in (0, 1, len(lines)):
    found = model.signatures["serving_default"](tf.constant(lines[:count], tf.string))
    answers[count] = [
        found["text"].numpy().astype(str).tolist(), found["log_prob"].numpy().tolist()
    ]
assert "nmt" not in sys.modules and "tensorflow_text" not in sys.modules
print(json.dumps([sorted(model.signatures), answers]))
"""


@pytest.fixture
def run_dirs(tmp_path: pathlib.Path) -> tuple[str, ...]:
    folders = []
    for name, settings in {
        "lstm": {},
        "gru": {"cell": "gru", "attention": "bahdanau", "attention_size": 8},
    }.items():
        loaded = tiny_models.random_model(6, **settings)
        folder = tiny_models.write_run_folder(loaded, tmp_path / "runs" / name)
        folders.append(str(folder.path))
    return tuple(folders)


def test_a_moved_export_needs_nothing_of_ours(
    tmp_path: pathlib.Path, run_dirs: tuple[str, ...]
) -> None:
    options = ServingOptions(beam_size=3)
    request = ExportRequest(run_dirs, str(tmp_path / "exported"), options=options)
    ensemble = request.load_ensemble()
    expected = [
        *Translator(ensemble).translate(
            LINES, options.resolved(ensemble.members[0].config)
        )
    ]
    made = export_model(request)
    assert made == tmp_path / "exported" / "1"
    assert not [each for each in made.parent.iterdir() if each != made]
    shutil.rmtree(tmp_path / "runs")
    moved = made.rename(tmp_path / "elsewhere")
    found = subprocess.run(
        [sys.executable, "-c", CLIENT, str(moved), json.dumps(LINES)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert not found.returncode, found.stderr
    names, answers = json.loads(found.stdout.splitlines()[-1])
    assert names == ["align", "encode", "n_best", "score", "serving_default"]
    assert answers["0"] == [[], []]
    for count in (1, len(LINES)):
        texts, log_probs = answers[str(count)]
        assert texts == [each.text for each in expected[:count]]
        assert log_probs == pytest.approx(
            [each.log_prob for each in expected[:count]], abs=1e-4
        )
    about = json.loads((moved / "manifest.json").read_text())
    assert [each["name"] for each in about["models"]] == ["lstm", "gru"]
    assert about["options"]["beam_size"] == 3
    assert about["needs_tensorflow_text"] is False
    rows = (moved / "assets.extra" / "source.vocab").read_text().splitlines()
    assert tuple(rows[:4]) == SPECIAL_TOKENS
    assert about["vocabularies"]["source"]["size"] == len(rows)


def test_versions_count_up_and_are_kept(
    tmp_path: pathlib.Path, run_dirs: tuple[str, ...]
) -> None:
    output = tmp_path / "exported"
    (output / "7").mkdir(parents=True)
    (output / "notes").mkdir()
    assert ExportRequest(run_dirs, str(output)).folder == output / "8"
    with pytest.raises(UserError, match="7 exists: choose another --version"):
        ExportRequest(run_dirs, str(output), version=7).check()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"run_dirs": ()}, "name at least one folder"),
        ({"output": ""}, "name the folder"),
        ({"weights": (1.0,)}, "weights"),
        ({"version": -1}, "give a number from 1"),
    ],
)
def test_what_makes_no_sense_is_refused(
    tmp_path: pathlib.Path, change: dict[str, object], message: str
) -> None:
    settings = {"run_dirs": ("a", "b"), "output": str(tmp_path / "x"), **change}
    with pytest.raises(UserError, match=message):
        export_model(ExportRequest(**settings))
    assert not (tmp_path / "x").exists()


def test_samples_are_refused() -> None:
    with pytest.raises(UserError, match="draws no samples"):
        ServingOptions(search=SearchOptions(sample=True)).resolved(Config())
