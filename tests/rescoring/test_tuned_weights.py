"""Tuned weights are written and can be read."""

import json
import pathlib
from typing import Any

import numpy as np
import pytest

from nmt.config import EvaluationConfig
from nmt.data.text import read_lines
from nmt.decoding import ListScores
from nmt.rescoring.inputs import open_inputs
from nmt.rescoring.journal import Journal, ScoredList
from nmt.rescoring.mix import Mix
from nmt.rescoring.outputs import ListsWithScores, write_outputs
from nmt.rescoring.tuned_weights import tune_weights
from tests.rescoring.lists import request_for, write_files

CONFIG = EvaluationConfig(bleu_tokenizer="none")


@pytest.mark.parametrize(
    ("features", "names"),
    [
        ((), ["total", "lstm", "words"]),
        (("TM.1", "words"), ["total", "lstm", "words", "TM.1"]),
        (("all",), ["total", "lstm", "words", "LM", "TM.0", "TM.1"]),
    ],
)
def test_weights_are_written_and_read(
    tmp_path: pathlib.Path, features: tuple[str, ...], names: list[str]
) -> None:
    write_files(tmp_path)
    flags: dict[str, Any] = {
        "reference": str(tmp_path / "reference"),
        "mix": f"tune:{tmp_path / 'weights.json'}",
        "tune_features": features,
        "tune_restarts": 2,
        "rerank": str(tmp_path / "best"),
    }
    request = request_for(tmp_path, "lstm", **flags)
    with (
        open_inputs(request.source, request.n_best, request.reference) as inputs,
        Journal(tmp_path / "scores", {}) as journal,
    ):
        for each in inputs.read_lists():
            journal.append(scored(each.id, len(each.lines)))
        lists = ListsWithScores(inputs, ("lstm",), journal)
        mix = tune_weights(request, lists, CONFIG)
        report = write_outputs(request, lists, mix, CONFIG)
    assert list(mix.weights) == names
    assert Mix.parse(f"file:{tmp_path / 'weights.json'}") == mix
    written = json.loads((tmp_path / "weights.json").read_text())
    assert (written["lists"], written["restarts"], written["seed"]) == (3, 2, 1)
    # The best of every list is right with a weight for the length.
    assert list(read_lines(str(tmp_path / "best")))[2:] == [
        "w8 w9 w1 w2",
        "w3 w4 w5 w6",
    ]
    scores = {each.system: each.score.value for each in report.scores}
    assert scores["mix"] > scores["1-best"]


def scored(number: int, count: int) -> ScoredList:
    log_probs = -np.arange(count, dtype=float)[:, np.newaxis]
    return ScoredList.of(
        number, ListScores(log_probs, np.zeros(count, np.int64), count, count)
    )
