"""What is asked for makes sense before anything is read."""

import dataclasses
import pathlib
from typing import Any

import pytest

from nmt.errors import UserError
from nmt.rescoring.request import RescoringRequest
from tests import tiny_models

REQUEST = RescoringRequest(("run",), "source", "n_best", "output", reference="right")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"output": ""}, "--output: name the file"),
        ({"run_dirs": ()}, "--mix=even needs a model"),
        (
            {"run_dirs": (), "output": "", "reference": "", "mix": "weights=total:1"},
            "there is nothing to do",
        ),
        ({"rerank": "nowhere/best"}, "--rerank: nowhere/best: there is no folder"),
        ({"source": "-", "n_best": "-"}, "source and n_best cannot both"),
        ({"source": "-", "reference": "-"}, "reference and another cannot both"),
        ({"rerank": "output"}, "--output and --rerank are both output"),
        ({"mix": "tune:output"}, "--output and --mix=tune are both output"),
        ({"mix": "file:output"}, "--mix=file and --output are both output"),
        ({"mix": "file:-"}, "-: is read more than once; give a file"),
        ({"run_dirs": ("run", "")}, "run_dir: a name is empty"),
        ({"source": ""}, "--source: name a file"),
        ({"n_best": ".output.scores"}, "--n_best and the scores kept for --output"),
        ({"rerank": ".output.scores"}, "--rerank and the scores kept for --output"),
        ({"output": "run/config.json"}, "config.json of --run_dir and --output"),
        ({"tune_features": ("LM",)}, "--tune_features needs --mix=tune"),
        (
            {"output": "-", "report": "-"},
            "--output and --report cannot all be",
        ),
        ({"rerank": "./output"}, "--output and --rerank are both ./output"),
        ({"output": "source"}, "--source and --output are both source"),
        ({"mix": "tune:"}, "needs a file"),
        ({"mix": "tune:weights", "reference": ""}, "needs --reference"),
        ({"mix": "mean"}, "give even"),
        ({"mix": "file:nowhere.json"}, "nowhere.json: no such file"),
        ({"bootstrap_seed": 0}, "bootstrap_seed=0"),
        ({"weights": (1.0, 2.0)}, "got 2 for 1 models"),
    ],
)
def test_what_makes_no_sense(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        dataclasses.replace(REQUEST, **changes).check()


@pytest.mark.parametrize("mix", ["even", "weights=total:1,LM:2", "tune:weights"])
def test_what_makes_sense(mix: str) -> None:
    dataclasses.replace(REQUEST, mix=mix, rerank="-", n_best="-").check()


def test_bleu_is_that_of_the_first_run_folder(tmp_path: pathlib.Path) -> None:
    loaded = tiny_models.random_model()
    evaluation = dataclasses.replace(
        loaded.config.evaluation, bleu_tokenizer="none", lowercase=True
    )
    config = dataclasses.replace(loaded.config, evaluation=evaluation)
    folders = [
        str(tiny_models.write_run_folder(each, tmp_path / name).path)
        for name, each in [
            ("a", dataclasses.replace(loaded, config=config)),
            ("b", loaded),
        ]
    ]
    request = dataclasses.replace(REQUEST, run_dirs=tuple(folders))
    found = request.evaluation()
    assert (found.bleu_tokenizer, found.lowercase) == ("none", True)
    assert (
        dataclasses.replace(REQUEST, run_dirs=()).evaluation().bleu_tokenizer == "13a"
    )
    given = dataclasses.replace(request, bleu_tokenizer="intl", lowercase=False)
    found = given.evaluation()
    assert (found.bleu_tokenizer, found.lowercase) == ("intl", False)
    missing = dataclasses.replace(request, run_dirs=(folders[0], str(tmp_path / "c")))
    with pytest.raises(UserError, match=r"c/config\.json"):
        missing.evaluation()


def test_model_files_are_what_scores_depend_on(tmp_path: pathlib.Path) -> None:
    for name in "ba":
        tiny_models.write_run_folder(tiny_models.random_model(), tmp_path / name)
    run_dirs = tuple(str(tmp_path / name) for name in "ba")
    files = dataclasses.replace(REQUEST, run_dirs=run_dirs).model_files()
    # In the order of the folders: it is that of the scores.
    assert [path.relative_to(tmp_path).parts[0] for path in files] == sorted(
        (path.relative_to(tmp_path).parts[0] for path in files), reverse=True
    )
    names = {path.name for path in files}
    assert {"config.json", "source.vocab", "target.vocab"} < names
    assert any(path.parent.name == "best" for path in files)
