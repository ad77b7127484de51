"""Heat maps of a small random model that reads the source last word first."""

import dataclasses
import json
import pathlib

import numpy as np
import pytest
import tensorflow as tf

from nmt.analysis.heat_maps import (
    Aligned,
    AlignmentsRequest,
    draw_alignments,
    given_alignments,
    heat_map,
)
from nmt.data.pipeline import source_batch
from nmt.decoding import Ensemble
from nmt.errors import UserError
from nmt.models.run_folder import LoadedModel
from tests import tiny_models

LINES = ["w3 w1 w4 w9", "", "w5 w2", "w7"]


@pytest.fixture(scope="module")
def loaded() -> LoadedModel:
    return tiny_models.random_model(scale=0.5, cell="gru", attention="bahdanau")


@pytest.fixture(scope="module")
def run_dir(loaded: LoadedModel, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("runs") / "run"
    return str(tiny_models.write_run_folder(loaded, folder).path)


@pytest.fixture
def request_all(run_dir: str, tmp_path: pathlib.Path) -> AlignmentsRequest:
    pytest.importorskip("matplotlib")
    source = tmp_path / "source"
    source.write_text("".join(f"{line}\n" for line in LINES))
    return AlignmentsRequest((run_dir,), str(source), str(tmp_path / "out"))


def test_columns_are_in_the_order_of_the_text(loaded: LoadedModel) -> None:
    data = dataclasses.replace(loaded.config.data, reverse_source=True)
    turned = dataclasses.replace(
        loaded, config=dataclasses.replace(loaded.config, data=data)
    )
    line, target = LINES[0], "w1 w2 w3"
    (found,) = given_alignments(Ensemble([turned]), [line], [target])
    read = source_batch(loaded.source_codec.encode(tf.constant([line])), reverse=True)
    words = source_batch(
        loaded.target_codec.encode(tf.constant([target])), reverse=False
    )
    _, raw = loaded.model.logits_and_alignments(read, words)
    # What it read: w9 w4 w1 w3 </s>.
    expected = raw.numpy()[0, :3, [3, 2, 1, 0]].T
    assert found.source == ("w3", "w1", "w4", "w9")
    assert found.target == ("w1", "w2", "w3")
    np.testing.assert_allclose(found.weights, expected, atol=1e-6)
    assert np.ptp(expected, axis=1).min() > 1e-3


def test_labels_stand_at_their_rows_and_columns() -> None:
    pytest.importorskip("matplotlib")
    weights = np.array([[0.75, 0.25], [0.5, 0.5], [0.0, 1.0]])
    figure = heat_map(Aligned(("a", "$b"), ("x", "y", "z"), weights))
    axes = figure.axes[0]
    assert [text.get_text() for text in axes.get_xticklabels()] == ["a", r"\$b"]
    assert [text.get_text() for text in axes.get_yticklabels()] == ["x", "y", "z"]
    np.testing.assert_array_equal(axes.images[0].get_array(), weights)
    assert axes.images[0].get_clim() == (0.0, 1.0)


def test_own_translations_look_as_they_do_when_given(
    request_all: AlignmentsRequest, loaded: LoadedModel
) -> None:
    found = draw_alignments(request_all)
    folder = pathlib.Path(request_all.output)
    drawn = [
        f"alignment-{number}.png"
        for number, aligned in zip((1, 3, 4), found, strict=True)
        if aligned.target
    ]
    assert len(drawn) > 1
    assert sorted(path.name for path in folder.glob("*.png")) == drawn
    rows = (folder / "alignments.jsonl").read_text().splitlines()
    for row, aligned in zip(rows, found, strict=True):
        content = json.loads(row)
        assert content["source_tokens"] == list(aligned.source)
        assert content["target_tokens"] == list(aligned.target)
        written = np.reshape(content["alignment"], aligned.weights.shape)
        np.testing.assert_allclose(written, aligned.weights, atol=1e-6)
    known = [each for each in found if each.target and "<unk>" not in each.target]
    assert known
    texts = [[" ".join(words) for words in pair] for *pair, _ in known]
    given = given_alignments(Ensemble([loaded]), *zip(*texts, strict=True))
    for first, second in zip(known, given, strict=True):
        assert first[:2] == second[:2]
        np.testing.assert_allclose(first.weights, second.weights, atol=1e-5)


def test_given_translations_of_chosen_lines(
    request_all: AlignmentsRequest, tmp_path: pathlib.Path
) -> None:
    (tmp_path / "target").write_text("w1\n\n\nw2 w3\n")
    chosen = dataclasses.replace(
        request_all, lines=(4, 3), target=str(tmp_path / "target")
    )
    full, empty = draw_alignments(chosen)
    assert full[:2] == (("w7",), ("w2", "w3"))
    assert empty[:2] == (("w5", "w2"), ())
    names = sorted(path.name for path in pathlib.Path(chosen.output).iterdir())
    assert names == ["alignment-4.png", "alignment-4.svg", "alignments.jsonl"]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"lines": (2,)}, "there is no sentence in line 2"),
        ({"lines": (5,)}, "there is no sentence in line 5"),
        ({"lines": (0,)}, "there is no sentence in line 0"),
        ({"source": "/nowhere"}, "/nowhere: no such file"),
        ({"run_dirs": ("/nowhere",)}, "/nowhere: no such run folder"),
    ],
)
def test_errors_write_nothing(
    request_all: AlignmentsRequest, changes: dict[str, object], said: str
) -> None:
    with pytest.raises(UserError, match=said) as error:
        draw_alignments(dataclasses.replace(request_all, **changes))
    assert "\n" not in str(error.value)
    assert not pathlib.Path(request_all.output).exists()


def test_unequal_files_are_refused(
    request_all: AlignmentsRequest, tmp_path: pathlib.Path
) -> None:
    (tmp_path / "target").write_text("w1\n")
    wrong = dataclasses.replace(request_all, target=str(tmp_path / "target"))
    with pytest.raises(UserError, match=r"has 4 lines and .*target 1; line n"):
        draw_alignments(wrong)


def test_models_without_attention_are_refused(
    request_all: AlignmentsRequest, tmp_path: pathlib.Path
) -> None:
    folder = tiny_models.write_run_folder(tiny_models.random_model(), tmp_path / "lstm")
    blind = dataclasses.replace(request_all, run_dirs=(str(folder.path),))
    with pytest.raises(UserError, match="lstm: has no attention"):
        draw_alignments(blind)
