"""Files of what is ranked, without a model."""

import pathlib
from typing import Any

import numpy as np
import pytest

from nmt.config import EvaluationConfig
from nmt.data.n_best import NBestList
from nmt.decoding import ListScores
from nmt.errors import UserError
from nmt.rescoring.inputs import open_inputs
from nmt.rescoring.journal import Journal, ScoredList
from nmt.rescoring.mix import Mix
from nmt.rescoring.outputs import ListsWithScores, with_scores, write_outputs
from nmt.rescoring.report import RescoringReport
from tests.rescoring.lists import LISTS, a_list, request_for, write_files

CONFIG = EvaluationConfig(bleu_tokenizer="none")
# The models prefer the last hypothesis of every list.
LOG_PROBS = {0: [-9.0, -8, -1], 2: [-20, -2], 3: [-3]}


def scored(n_best_list: NBestList) -> ScoredList:
    log_probs = np.array([LOG_PROBS[n_best_list.id]]).T
    unknown = [each.split().count("unheard") for each in n_best_list.hypotheses]
    return ScoredList.of(n_best_list.id, ListScores(log_probs, np.array(unknown), 2, 5))


def write(folder: pathlib.Path, mix: Mix, **others: Any) -> RescoringReport:
    write_files(folder)
    request = request_for(folder, "lstm", **others)
    with (
        open_inputs(request.source, request.n_best, request.reference) as inputs,
        Journal(folder / "scores", {}) as journal,
    ):
        for each in inputs.read_lists():
            journal.append(scored(each))
        lists = ListsWithScores(inputs, ("lstm",), journal)
        return write_outputs(request, lists, mix, CONFIG)


def test_nothing_but_the_feature_is_new(tmp_path: pathlib.Path) -> None:
    write(tmp_path, Mix.even("lstm"))
    written = (tmp_path / "output").read_bytes().decode()
    values = ["-9", "-8", "-1", "-20", "-2", "-3"]
    for value in values:
        assert written.count(f" lstm= {value}.000000 ") == 1
        written = written.replace(f" lstm= {value}.000000", "")
    assert written == LISTS


@pytest.mark.parametrize(
    ("mix", "best", "first_lines"),
    [
        (Mix({"total": 1}), ["w1 w2 w3", "", "w8 ||| unheard", "w3 w4 w5 w6"], [0, 3]),
        (Mix({"lstm": 1}), ["", "", "w8 w9 w1 w2", "w3 w4 w5 w6"], [2, 4]),
        (
            Mix({"total": 1, "words": 0.5}),
            ["w1 w2 w3 w4", "", "w8 ||| unheard", "w3 w4 w5 w6"],
            [1, 3],
        ),
    ],
)
def test_each_list_is_ranked_by_itself(
    tmp_path: pathlib.Path, mix: Mix, best: list[str], first_lines: list[int]
) -> None:
    names = {"rerank": "best", "n_best_output": "reordered"}
    paths = {flag: str(tmp_path / name) for flag, name in names.items()}
    write(tmp_path, mix, **paths)
    # A line for every line of the source, whether it has a list or not.
    assert (tmp_path / "best").read_text().split("\n") == [*best, ""]
    given = (tmp_path / "output").read_bytes().decode().split("\n")
    ordered = (tmp_path / "reordered").read_bytes().decode().split("\n")
    stripped = [line.removesuffix("\r") for line in given]
    found = [line.removesuffix("\r") for line in ordered]
    assert sorted(found) == sorted(stripped)
    assert [found[0], found[3], found[5]] == [
        *(stripped[i] for i in first_lines),
        stripped[5],
    ]
    # Every place keeps its end of line.
    ends = [line.endswith("\r") for line in given]
    assert [line.endswith("\r") for line in ordered] == ends


def test_report_counts_and_scores(tmp_path: pathlib.Path) -> None:
    files = {
        name: str(tmp_path / name) for name in ("reference", "report", "report_json")
    }
    found = write(tmp_path, Mix({"total": 1}), bootstrap_samples=5, **files)
    assert (found.sentences, found.lists, found.hypotheses) == (4, 3, 6)
    assert (found.hypotheses_with_unknown, found.unknown_words) == (1, 1)
    assert (found.words, found.steps) == (15, 6)
    systems = [each.system for each in found.scores]
    assert systems[:3] == ["1-best", "lstm", "mix"]
    # The total is what the lists are sorted by: the mix changes nothing.
    assert found.scores[2].score == found.scores[0].score
    assert found.scores[1].score.value != found.scores[0].score.value
    assert found.paired_bootstrap
    assert found.paired_bootstrap.p_value == 1
    assert (tmp_path / "report").read_text() == found.text()
    assert (tmp_path / "report_json").read_text() == found.json()


def test_lists_without_models_are_ranked_by_what_they_have(
    tmp_path: pathlib.Path,
) -> None:
    write_files(tmp_path)
    request = request_for(
        tmp_path, rerank=str(tmp_path / "best"), reference=str(tmp_path / "reference")
    )
    with open_inputs(request.source, request.n_best, request.reference) as inputs:
        mix = Mix({"TM.0": -1, "LM": 0.5, "words": 0.125})
        found = write_outputs(request, ListsWithScores(inputs), mix, CONFIG)
    assert (tmp_path / "output").read_bytes().decode() == LISTS
    best = (tmp_path / "best").read_text().splitlines()
    assert best == ["w1 w2 w3", "", "w8 ||| unheard", "w3 w4 w5 w6"]
    assert (found.features, found.words, found.hypotheses) == ((), 0, 6)
    assert [each.system for each in found.scores][:2] == ["1-best", "mix"]


def test_without_a_reference_nothing_is_scored(tmp_path: pathlib.Path) -> None:
    found = write(tmp_path, Mix({"total": 1}), bootstrap_samples=5)
    assert found.scores == ()
    assert found.paired_bootstrap is None


def test_a_missing_feature_leaves_no_file(tmp_path: pathlib.Path) -> None:
    with pytest.raises(UserError, match="of id 0 has no finite 'other'"):
        write(tmp_path, Mix({"other": 1}), rerank=str(tmp_path / "best"))
    written = {path.name for path in tmp_path.iterdir()}
    assert written == {"source", "reference", "n_best", "scores"}


def test_models_are_added_in_their_order() -> None:
    n_best_list = a_list(("a", "LM= -1", -2), ("b", "", -3))
    both = ScoredList(0, ((-1.5, -2.0), (0.0, -1e-6)), (0, 0), 1, 1)
    assert with_scores(n_best_list, ("x", "y"), both).text == (
        "0 ||| a ||| LM= -1 x= -1.500000 y= 0.000000 ||| -2\n"
        "0 ||| b ||| x= -2.000000 y= -0.000001  ||| -3\n"
    )
