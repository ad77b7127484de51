"""Settings that are refused before training."""

import dataclasses

import pytest

from nmt.config import Config
from nmt.errors import UserError
from nmt.training import checks
from nmt.training.checks import check_config
from tests.configs.loading import NAMES, load


def changed(name: str, value: object) -> Config:
    config = Config()
    section, field = name.split(".")
    setattr(getattr(config, section), field, value)
    return config


@pytest.mark.parametrize("name", NAMES)
def test_every_configuration_passes(name: str) -> None:
    check_config(load(name))


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("training.max_epochs", 0.0, "at least"),
        ("training.max_epochs", -1.0, "at least"),
        ("training.seed", -1, "at least 0"),
        ("training.label_smoothing", 1.0, "less than 1"),
        ("training.learning_rate", float("nan"), "at least 0"),
        ("training.schedule", "cosine", "choose 'constant'"),
        ("training.optimizer", "lion", "choose sgd, adam, adadelta"),
        ("data.target_tokenizer", "bpe", "choose words"),
        ("data.held_out", 0, "without --validation_source"),
        ("batching.bucket_boundaries", (5, 3), "ascending"),
        ("model.num_layers", 0, "at least 1"),
        ("model.dropout", 1.5, "less than 1"),
        ("decoding.batch_size", 0, "at least 1"),
        ("evaluation.metric", "rouge", "rouge"),
        ("evaluation.bleu_tokenizer", "moses", "moses"),
    ],
)
def test_bad_setting_is_named(name: str, value: object, message: str) -> None:
    with pytest.raises(UserError, match=message):
        check_config(changed(name, value))


def test_every_number_has_a_range() -> None:
    numbers = {
        f"{section.name}.{field.name}"
        for section in dataclasses.fields(Config)
        for field in dataclasses.fields(getattr(Config(), section.name))
        if field.type in (int, float)
    }
    free = {"data.max_unknown_percent", "training.halve_from_epoch"}
    assert numbers == set(checks._RANGES) | free
