"""Weights on disk."""

import pathlib

import numpy as np
import pytest

from nmt.config import ModelConfig
from nmt.errors import UserError
from nmt.models import Seq2Seq, build_model
from nmt.models.weights import load_weights, save_weights, variables_by_name


def small(hidden_size: int = 4) -> Seq2Seq:
    return build_model(ModelConfig(embedding_size=3, hidden_size=hidden_size), 7, 6)


def test_weights_come_back(tmp_path: pathlib.Path) -> None:
    saved, loaded = small(), small()
    save_weights(saved, tmp_path)
    load_weights(loaded, tmp_path)
    for one, other in zip(saved.weights, loaded.weights, strict=True):
        np.testing.assert_array_equal(one, other)


def test_later_weights_replace_earlier_ones(tmp_path: pathlib.Path) -> None:
    first, second, loaded = small(), small(), small()
    save_weights(first, tmp_path)
    before = {path.name for path in tmp_path.iterdir()} - {"checkpoint"}
    save_weights(second, tmp_path)
    # Nothing is written over: a reader in between has either the old or the new ones.
    assert not before & {path.name for path in tmp_path.iterdir()}
    load_weights(loaded, tmp_path)
    np.testing.assert_array_equal(loaded.weights[0], second.weights[0])


def test_damaged_weights_are_named(tmp_path: pathlib.Path) -> None:
    save_weights(small(), tmp_path)
    (data,) = tmp_path.glob("*.data-*")
    data.write_bytes(data.read_bytes()[:100])
    with pytest.raises(UserError, match="damaged weights"):
        load_weights(small(), tmp_path)


@pytest.mark.parametrize("content", ["", "model_checkpoint_path: ", None])
def test_damaged_lists_of_weights_are_named(
    content: str | None, tmp_path: pathlib.Path
) -> None:
    save_weights(small(), tmp_path)
    if content is None:
        (tmp_path / "checkpoint").unlink()
    else:
        (tmp_path / "checkpoint").write_text(content)
    with pytest.raises(UserError, match="damaged weights: files are missing"):
        load_weights(small(), tmp_path)


def test_partly_copied_weights_are_damaged(tmp_path: pathlib.Path) -> None:
    save_weights(small(), tmp_path)
    (index,) = tmp_path.glob("*.index")
    index.unlink()
    with pytest.raises(UserError, match="damaged weights: files are missing"):
        load_weights(small(), tmp_path)


def test_weights_of_another_size_are_refused(tmp_path: pathlib.Path) -> None:
    save_weights(small(4), tmp_path)
    with pytest.raises(UserError, match="of another model"):
        load_weights(small(5), tmp_path)


def test_a_folder_without_weights_is_refused(tmp_path: pathlib.Path) -> None:
    with pytest.raises(UserError, match="no saved weights"):
        load_weights(small(), tmp_path)


def test_names_hold_seed_states_and_do_not_depend_on_other_models() -> None:
    names = set(variables_by_name(small()))
    assert names == set(variables_by_name(small()))
    assert any(name.startswith("seed/") for name in names)
