"""Settings from a request and a run folder."""

import pathlib

import pytest

from nmt.config import Config
from nmt.errors import UserError
from nmt.training.request import TrainingRequest, resolve


def saved(folder: pathlib.Path) -> Config:
    config = Config()
    config.model.hidden_size = 32
    (folder / "config.json").write_text(config.to_json())
    return config


def test_new_folder_starts_from_the_defaults(tmp_path: pathlib.Path) -> None:
    request = TrainingRequest(tmp_path, None, {"model.hidden_size": 7})
    config = resolve(request)
    assert config.model.hidden_size == 7
    assert config.training == Config().training


def test_named_configuration_is_not_changed(tmp_path: pathlib.Path) -> None:
    named = Config()
    config = resolve(TrainingRequest(tmp_path, named, {"training.seed": 5}))
    assert (config.training.seed, named.training.seed) == (5, 1)


def test_old_folder_goes_on_with_its_own_settings(tmp_path: pathlib.Path) -> None:
    saved(tmp_path)
    config = resolve(TrainingRequest(tmp_path, None, {"training.learning_rate": 0.5}))
    assert (config.model.hidden_size, config.training.learning_rate) == (32, 0.5)


def test_change_is_announced(
    tmp_path: pathlib.Path, caplog: pytest.LogCaptureFixture
) -> None:
    saved(tmp_path)
    with caplog.at_level("INFO", logger="absl"):
        resolve(TrainingRequest(tmp_path, None, {"training.learning_rate": 0.5}))
    assert "training.learning_rate: 0.5, was 0.002" in caplog.text


def test_other_architecture_is_refused(tmp_path: pathlib.Path) -> None:
    saved(tmp_path)
    with pytest.raises(UserError, match="hidden_size is 32 in the run folder, 256"):
        resolve(TrainingRequest(tmp_path, Config(), {}))
