"""Run folders: complete, movable, and clear about what is missing."""

import pathlib

import numpy as np
import pytest

from nmt.errors import UserError
from nmt.models.run_folder import RunFolder
from tests import tiny_models


def test_moved_folder_holds_the_same_model(tmp_path: pathlib.Path) -> None:
    saved = tiny_models.random_model()
    folder = tiny_models.write_run_folder(saved, tmp_path / "run")
    folder.path.rename(tmp_path / "moved")
    loaded = RunFolder(tmp_path / "moved").load_model()
    assert loaded.config == saved.config
    assert loaded.source_codec.digest() == saved.source_codec.digest()
    ids = np.array([[5, 6, 3]])
    np.testing.assert_array_equal(loaded.model((ids, ids)), saved.model((ids, ids)))


@pytest.mark.parametrize("part", ["config.json", "source.vocab", "best"])
def test_missing_part_is_named(tmp_path: pathlib.Path, part: str) -> None:
    folder = tiny_models.write_run_folder(tiny_models.random_model(), tmp_path / "run")
    (folder.path / part).rename(tmp_path / "elsewhere")
    with pytest.raises(UserError, match=part):
        folder.load_model()


def test_missing_folder_is_named(tmp_path: pathlib.Path) -> None:
    with pytest.raises(UserError, match="nowhere: no such run folder"):
        RunFolder(tmp_path / "nowhere").load_model()
