"""An exported folder, moved, in a process that knows nothing of this package."""

import json
import pathlib
import shutil
import subprocess
import sys

import pytest

from nmt.data.vocabulary import SPECIAL_TOKENS
from nmt.decoding import Translator
from nmt.decoding.loading import load_ensemble
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
    ensemble = load_ensemble(request)
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
