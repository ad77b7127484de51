"""Codecs, training pairs and validation pairs from text files."""

import pathlib

import numpy as np
import pytest

from nmt.config import Config
from nmt.errors import UserError
from nmt.models.run_folder import RunFolder
from nmt.training.prepare import prepare
from tests.training import toy


@pytest.fixture
def config(tmp_path: pathlib.Path) -> Config:
    toy.write_text(tmp_path)
    return toy.settings(tmp_path)


def test_held_out_pairs_are_not_trained_on(
    config: Config, tmp_path: pathlib.Path
) -> None:
    data = prepare(config, RunFolder(tmp_path / "run"))
    validation = data.validation
    assert len(validation.rows) == 6
    assert not set(validation.rows) & set(data.rows)
    assert len(data.rows) == 54
    lines = (tmp_path / "source").read_text().splitlines()
    numbers = data.corpus.line_numbers[validation.rows]
    assert validation.source == [lines[number - 1] for number in numbers]
    assert validation.source == validation.target


def test_given_validation_text_is_used_whole(
    config: Config, tmp_path: pathlib.Path
) -> None:
    for side in ("source", "target"):
        (tmp_path / f"valid.{side}").write_text("a b\n\nzz\n")
    config.data.validation_source = str(tmp_path / "valid.source")
    config.data.validation_target = str(tmp_path / "valid.target")
    data = prepare(config, RunFolder(tmp_path / "run"))
    assert len(data.rows) == 60
    assert data.validation.source == ["a b", "", "zz"]
    rows = sum(batch.target.shape[0] for batch in data.validation_batches())
    assert rows == 3


def test_batches_of_an_epoch_hold_every_pair_once(
    config: Config, tmp_path: pathlib.Path
) -> None:
    data = prepare(config, RunFolder(tmp_path / "run"))
    batches = list(data.batches(epoch=0, examples_done=0))
    assert sum(batch.source.shape[0] for batch in batches) == 54
    rest = list(data.batches(epoch=0, examples_done=batches[0].source.shape[0]))
    for one, other in zip(batches[1:], rest, strict=True):
        np.testing.assert_array_equal(one.source, other.source)


def test_codecs_of_a_run_that_began_are_kept(
    config: Config, tmp_path: pathlib.Path
) -> None:
    folder = RunFolder(tmp_path / "run")
    first = prepare(config, folder)
    folder.config_file.write_text(config.to_json())
    vocabulary = folder.path / "source.vocab"
    written = vocabulary.stat().st_mtime_ns
    second = prepare(config, folder)
    assert vocabulary.stat().st_mtime_ns == written
    assert second.source_codec.digest() == first.source_codec.digest()


def test_codecs_of_a_run_that_never_began_are_made_anew(
    config: Config, tmp_path: pathlib.Path
) -> None:
    folder = RunFolder(tmp_path / "run")
    prepare(config, folder)
    config.data.source_vocabulary_size = 7
    assert prepare(config, folder).vocabulary_sizes[0] == 7


def test_unequal_texts_are_refused_before_anything_is_made(
    config: Config, tmp_path: pathlib.Path
) -> None:
    (tmp_path / "target").write_text("a\n")
    with pytest.raises(UserError, match=r"60 lines .* has 1;"):
        prepare(config, RunFolder(tmp_path / "run"))
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("name", ["-", "."])
def test_text_that_cannot_be_read_twice_is_refused(
    config: Config, tmp_path: pathlib.Path, name: str
) -> None:
    config.data.train_source = name
    with pytest.raises(UserError, match="give a file"):
        prepare(config, RunFolder(tmp_path / "run"))


def test_run_folder_that_is_a_file_is_named(
    config: Config, tmp_path: pathlib.Path
) -> None:
    with pytest.raises(UserError, match="source: the run folder cannot be made"):
        prepare(config, RunFolder(tmp_path / "source"))


def test_missing_text_is_asked_for(tmp_path: pathlib.Path) -> None:
    with pytest.raises(UserError, match="give --source and --target"):
        prepare(Config(), RunFolder(tmp_path))


def test_one_validation_file_is_not_enough(
    config: Config, tmp_path: pathlib.Path
) -> None:
    config.data.validation_source = "some.txt"
    with pytest.raises(UserError, match="both validation files"):
        prepare(config, RunFolder(tmp_path))
