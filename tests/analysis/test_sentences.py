"""Sentences as vectors and as points."""

import dataclasses
import json
import pathlib

import numpy as np
import pytest

from nmt.analysis.sentences import (
    Components,
    SentencesRequest,
    draw_sentences,
    label_offsets,
    metadata,
    principal_components,
    scatter,
)
from nmt.errors import UserError
from tests import tiny_models

LINES = ["w1 w2 w3", "w3 w2 w1", "w5", "w4 w4 w9 w2"]


def test_components_against_the_covariance() -> None:
    vectors = np.random.default_rng(1).normal(size=(9, 5)) * [5, 3, 1, 0.5, 0.1]
    points, shares = principal_components(vectors)
    variances, axes = np.linalg.eigh(np.cov(vectors.T))
    expected = (vectors - vectors.mean(axis=0)) @ axes[:, [4, 3]]
    np.testing.assert_allclose(np.abs(points), np.abs(expected), atol=1e-9)
    np.testing.assert_allclose(shares, variances[[4, 3]] / variances.sum())
    np.testing.assert_allclose(points.max(axis=0), np.abs(points).max(axis=0))


def test_equal_sentences_are_one_point() -> None:
    points, shares = principal_components(np.ones([3, 4], np.float32))
    assert not points.any()
    assert shares == (0.0, 0.0)


def test_metadata_has_a_row_a_sentence() -> None:
    assert metadata(["a b", "c\td"], None) == "a b\nc d\n"
    assert metadata(["a", "b"], ["x", "y"]) == "sentence\tgroup\na\tx\nb\ty\n"


def test_labels_of_neighbours_stand_above_each_other() -> None:
    points = np.array([[0.0, 0.0], [0.01, 0.0], [9.0, 9.0]])
    first, second, last = label_offsets(points, ["a long sentence"] * 3)
    assert first == ("left", 3.0)
    assert second[1] != first[1]
    assert last == ("right", 3.0)


def test_groups_have_their_points() -> None:
    pytest.importorskip("matplotlib")
    points = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])
    figure = scatter(Components(points, (0.75, 0.25)), LINES[:3], ["x", "y", "x"])
    (axes,) = figure.axes
    drawn = [each.get_offsets().tolist() for each in axes.collections]
    assert drawn == [[[0.0, 1.0], [4.0, 5.0]], [[2.0, 3.0]]]
    assert [text.get_text() for text in axes.texts] == LINES[:3]
    assert axes.get_xlabel() == "component 1 (75% of variance)"


@pytest.fixture
def request_all(
    tmp_path: pathlib.Path, tmp_path_factory: pytest.TempPathFactory
) -> SentencesRequest:
    pytest.importorskip("matplotlib")
    run = tiny_models.write_run_folder(tiny_models.random_model(), tmp_path / "run")
    (tmp_path / "source").write_text("".join(f"{line}\n" for line in LINES))
    (tmp_path / "groups").write_text("x\ny\nx\ny\n")
    return SentencesRequest(
        (str(run.path),),
        str(tmp_path / "source"),
        str(tmp_path / "out"),
        str(tmp_path / "groups"),
    )


def test_files_fit_together(request_all: SentencesRequest) -> None:
    found = draw_sentences(request_all)
    folder = pathlib.Path(request_all.output)
    vectors = np.loadtxt(folder / "vectors.tsv", delimiter="\t")
    np.testing.assert_allclose(
        np.abs(principal_components(vectors).points), np.abs(found.points), atol=1e-4
    )
    rows = json.loads((folder / "sentences.json").read_text())["sentences"]
    assert [row["sentence"] for row in rows] == LINES
    assert [row["group"] for row in rows] == ["x", "y", "x", "y"]
    assert len((folder / "metadata.tsv").read_text().splitlines()) == 1 + len(vectors)
    config = (folder / "projector_config.pbtxt").read_text()
    for name in ("vectors.tsv", "metadata.tsv"):
        assert f'"{name}"' in config
    assert (folder / "sentences.png").is_file()
    assert (folder / "sentences.svg").is_file()


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("source", "a\n\nb\n", "source: there is no sentence in line 2"),
        ("source", "a\nb\n", "needs at least three sentences"),
        ("groups", "x\n", r"has 4 lines and .*groups 1; line n of one"),
    ],
)
def test_errors_write_nothing(
    request_all: SentencesRequest, name: str, text: str, said: str
) -> None:
    pathlib.Path(dataclasses.asdict(request_all)[name]).write_text(text)
    with pytest.raises(UserError, match=said):
        draw_sentences(request_all)
    assert not pathlib.Path(request_all.output).exists()
