"""The manifest tells what the model is."""

import json
import pathlib

import pytest

from nmt.decoding import Ensemble, TranslationOptions
from nmt.export.manifest import best_validation, manifest
from tests import tiny_models


def test_settings_digests_and_options(tmp_path: pathlib.Path) -> None:
    loaded = tiny_models.random_model()
    secret = "/home/someone/"
    files = "train_source train_target validation_source validation_target "
    files += "source_vocabulary target_vocabulary"
    for name in files.split():
        setattr(loaded.config.data, name, secret + name)
    options = TranslationOptions(beam_size=3, n_best=2).resolved(loaded.config)
    found = manifest(Ensemble([loaded]), options, (str(tmp_path / "runs" / "mine"),))
    assert json.loads(json.dumps(found))["models"][0]["name"] == "mine"
    assert found["models"][0]["config"]["model"]["hidden_size"] == 12
    assert found["models"][0]["validation"] is None
    assert found["models"][0]["config"]["data"]["source_tokenizer"] == "words"
    assert secret not in json.dumps(found)
    assert found["vocabularies"]["target"] == {
        "tokenizer": "words",
        "size": loaded.target_codec.vocabulary_size,
        "digest": loaded.target_codec.digest(),
    }
    assert (found["options"]["beam_size"], found["options"]["n_best"]) == (3, 2)
    assert found["options"]["max_length_offset"] == 3


@pytest.mark.parametrize("torn", ["", '{"kind": "valid'])
def test_the_best_evaluation(tmp_path: pathlib.Path, torn: str) -> None:
    records = [
        {"kind": "validation", "update": 1, "perplexity": 9.0},
        {"kind": "training", "update": 2, "perplexity": 1.0},
        {"kind": "validation", "update": 3, "perplexity": 4.0, "bleu": 7.0},
        {"kind": "validation", "update": 4, "perplexity": 5.0},
    ]
    text = "".join(json.dumps(each) + "\n" for each in records)
    (tmp_path / "metrics.jsonl").write_text(text + torn)
    assert best_validation(tmp_path) == records[2]
    assert best_validation(tmp_path / "nowhere") is None
