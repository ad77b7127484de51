"""Sentences read back from disk."""

import pathlib
import shutil
from collections.abc import Callable

import numpy as np
import pytest

from nmt.data.corpus import Corpus, held_out_rows
from nmt.errors import UserError

Build = Callable[..., Corpus]

SOURCE = ["a b c", "b", "", "c c a b", "a"]
TARGET = ["", "a b", "c", "b b b", "c a"]


def test_rows_are_read_in_the_order_asked_for(build: Build) -> None:
    corpus = build(SOURCE, TARGET)
    rows = np.array([3, 0, 2, 3])
    read = corpus.source.read(rows)
    assert read.lengths.tolist() == [4, 3, 0, 4]
    assert corpus.source.lengths(rows).tolist() == [4, 3, 0, 4]
    alone = [corpus.source.read(rows[[place]]).ids for place in range(4)]
    assert read.ids.tolist() == np.concatenate(alone).tolist()
    assert [len(set(ids.tolist())) for ids in alone] == [3, 3, 0, 3]


def test_no_rows_are_no_sentences(build: Build) -> None:
    sentences = build(SOURCE, TARGET).target.read(np.zeros(0, int))
    assert len(sentences.ids) == len(sentences.lengths) == 0


def test_sizes(build: Build) -> None:
    corpus = build(SOURCE, TARGET)
    assert (len(corpus), corpus.source.tokens, corpus.target.tokens) == (5, 9, 8)


def test_a_side_without_any_token_can_be_read(build: Build) -> None:
    corpus = build(["", ""], ["a", "b"])
    assert corpus.source.read(np.arange(2)).lengths.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("pairs", "wanted", "count"), [(100, 7, 7), (100, 50, 10), (9, 5, 0), (100, 0, 0)]
)
def test_held_out_rows_are_spread(pairs: int, wanted: int, count: int) -> None:
    rows = held_out_rows(pairs, wanted)
    assert len(rows) == len(set(rows.tolist())) == count
    if count:
        gaps = np.diff(rows, prepend=-rows[0] - 1, append=2 * pairs - rows[-1])
        assert gaps.max() - gaps.min() <= 2


def test_training_goes_without_the_held_out_rows(build: Build) -> None:
    corpus = build(["a"] * 40, ["b"] * 40, held_out=3)
    assert len(corpus.held_out_rows) == 3
    assert sorted([*corpus.rows, *corpus.held_out_rows]) == list(range(40))


def test_a_corpus_can_be_moved(build: Build, tmp_path: pathlib.Path) -> None:
    corpus = build(SOURCE * 3, TARGET * 3, held_out=1)
    moved = Corpus(corpus.folder.rename(tmp_path / "moved"))
    rows = np.arange(15)
    assert moved.source.read(rows).ids.tolist() == corpus.source.read(rows).ids.tolist()
    assert pathlib.Path(moved.held_out_source).is_file()


def test_a_missing_corpus_is_named(tmp_path: pathlib.Path) -> None:
    with pytest.raises(UserError, match="nowhere: no corpus"):
        Corpus(tmp_path / "nowhere")


@pytest.mark.parametrize(
    "name", ["source.ids", "target.ids", "source.offsets", "target.offsets", "lines"]
)
@pytest.mark.parametrize("size", [None, 0, 8])
def test_damage_is_found(
    build: Build, tmp_path: pathlib.Path, name: str, size: int | None
) -> None:
    damaged = tmp_path / "damaged"
    shutil.copytree(build(SOURCE, TARGET).folder, damaged)
    if size is None:
        (damaged / name).unlink()
    else:
        (damaged / name).write_bytes((damaged / name).read_bytes()[:size])
    with pytest.raises(UserError, match="damaged corpus; delete the folder"):
        Corpus(damaged)


@pytest.mark.parametrize("content", ["", "{}", '{"fingerprint": "x"}', "[]"])
def test_a_damaged_description_is_found(
    build: Build, tmp_path: pathlib.Path, content: str
) -> None:
    damaged = tmp_path / "damaged"
    shutil.copytree(build(SOURCE, TARGET).folder, damaged)
    (damaged / "corpus.json").write_text(content)
    with pytest.raises(UserError, match="no corpus"):
        Corpus(damaged)
