"""Mixing, its flags and its files."""

import pathlib

import numpy as np
import pytest

from nmt.errors import UserError
from nmt.rescoring.columns import Columns
from nmt.rescoring.mix import Mix, ranking
from tests.rescoring.lists import a_list

COLUMNS = Columns(
    a_list(("a b", "LM= -1", -4), ("c", "LM= -3", -6)), {"lstm": np.array([-9.0, -5])}
)


@pytest.mark.parametrize(
    ("text", "scores"),
    [
        ("even", [-6.5, -5.5]),
        ("weights=total:1", [-4, -6]),
        ("weights=total:1,lstm:0.25,words:-1,LM:2", [-10.25, -14.25]),
        ("weights=words:0", [0, 0]),
    ],
)
def test_scores_are_weighted_sums(text: str, scores: list[float]) -> None:
    assert Mix.parse(text, "lstm").scores(COLUMNS).tolist() == scores


def test_names_may_have_colons() -> None:
    assert Mix.parse("weights=a:b:-1e-1").weights == {"a:b": -0.1}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("odd", "give even, weights="),
        ("weights=", "is no NAME:WEIGHT"),
        ("weights=total", "'total' is no NAME:WEIGHT"),
        ("weights=:1", "':1' is no NAME:WEIGHT"),
        ("weights=total:1,total:2", "of its own"),
        ("weights=total:x", "the weight 'x' of total is no number"),
        ("weights=total:nan", "the weight 'nan' of total"),
        ("weights=total:1e300", "the weight '1e300' of total"),
        ("weights=total:1_0", "the weight '1_0' of total"),
    ],
)
def test_flags_that_make_no_sense(text: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        Mix.parse(text, "lstm")


def test_weights_of_a_file(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "weights.json"
    path.write_text('{"weights": {"total": 1, "lstm": 0.5},\n "seed": 3}\n')
    assert Mix.parse(f"file:{path}").weights == {"total": 1, "lstm": 0.5}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "no weights: expected"),
        ("[1]", "no weights: expected"),
        ('{"weights": 3}', "no weights: expected"),
        ('{"seed": 3}', "no weights: expected"),
        ('{"weights": {}}', "there are no weights"),
        ('{"weights": {"total": null}}', "the weight None of total"),
        ('{"weights": {"total": 1' + 400 * "0" + "}}", "the weight 10"),
        (100_000 * "[", "no weights: expected"),
    ],
)
def test_files_without_weights(
    tmp_path: pathlib.Path, content: str, message: str
) -> None:
    path = tmp_path / "weights.json"
    path.write_text(content)
    with pytest.raises(UserError, match=rf"weights.json: {message}"):
        Mix.load(str(path))
    with pytest.raises(UserError, match="no such file"):
        Mix.load(str(tmp_path / "missing"))


def test_equal_scores_keep_their_order() -> None:
    assert ranking(np.array([2.0, 3, 2, 3, 1])).tolist() == [1, 3, 0, 2, 4]


def test_a_mix_reads_like_a_sum() -> None:
    assert str(Mix({"total": 0.5, "lstm": -2})) == "0.5 total - 2 lstm"
