import dataclasses
import pathlib

import pytest

from nmt.config import Config
from nmt.errors import UserError


def test_defaults_survive_json() -> None:
    assert Config.from_json(Config().to_json()) == Config()


def test_changed_values_and_tuples_survive_json() -> None:
    config = Config()
    config.batching.bucket_boundaries = (10, 20, 40)
    config.model.hidden_size = 7
    config.data.train_source = "données.en"
    assert Config.from_json(config.to_json()) == config


def test_setting_that_an_old_run_lacks_has_its_default() -> None:
    config = Config.from_json('{"training": {"seed": 5}}')
    assert config.training.seed == 5
    assert config.training.optimizer == Config().training.optimizer
    assert config.model == Config().model


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "run:1: no JSON"),
        ("[1]", "run: expected an object of settings"),
        ('{"modle": {}}', "run: unknown setting 'modle'"),
        ('{"model": {"size": 1}}', "run: model: unknown setting 'size'"),
        ('{"model": 3}', "run: model: expected an object"),
    ],
)
def test_what_is_no_configuration_is_refused(text: str, message: str) -> None:
    with pytest.raises(UserError) as caught:
        Config.from_json(text, where="run")
    assert str(caught.value).startswith(message)


def test_missing_file_is_named(tmp_path: pathlib.Path) -> None:
    with pytest.raises(UserError, match="no such file"):
        Config.load(tmp_path / "config.json")


def test_two_configurations_share_nothing() -> None:
    first, second = Config(), Config()
    for field in dataclasses.fields(Config):
        assert getattr(first, field.name) is not getattr(second, field.name)
