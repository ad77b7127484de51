"""Every file in configs/ loads, survives JSON and has a known number of parameters."""

import pytest

from nmt.config import Config
from nmt.models import parameter_count
from tests.configs.loading import NAMES, load

# With vocabularies as large as the configuration allows.
PARAMETERS = {
    "cmudict_lstm": 1_890_404,
    "multi30k_lstm": 9_791_248,
    "quickstart_cmudict": 1_018_212,
    "quickstart_multi30k": 3_490_720,
    # 320M embeddings and softmax, 64M recurrent (section 3.4), and 112,000 biases.
    "sutskever14": 384_112_000,
}


def test_every_configuration_is_in_the_table() -> None:
    assert sorted(PARAMETERS) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_json_round_trip(name: str) -> None:
    config = load(name)
    assert Config.from_json(config.to_json()) == config


@pytest.mark.parametrize("name", NAMES)
def test_parameter_count(name: str) -> None:
    config = load(name)
    data = config.data
    assert PARAMETERS[name] == parameter_count(
        config.model, data.source_vocabulary_size, data.target_vocabulary_size
    )


@pytest.mark.parametrize("name", NAMES)
def test_data_lies_outside_the_repository(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NMT_DATA", "/elsewhere")
    data = load(name).data
    paths = [
        data.train_source,
        data.train_target,
        data.validation_source,
        data.validation_target,
    ]
    assert all(path.startswith("/elsewhere/") for path in paths)


def test_sutskever14_is_the_recipe_of_the_paper() -> None:
    config = load("sutskever14")
    assert config.data.reverse_source
    assert config.batching.batch_by == "sentences"
    assert config.batching.batch_size == 128
    assert config.model.dropout == 0
    assert (config.model.initializer, config.model.initializer_scale) == (
        "uniform",
        0.08,
    )
    training = config.training
    assert (training.optimizer, training.learning_rate) == ("sgd", 0.7)
    assert (training.schedule, training.halve_from_epoch) == ("halving", 5.0)
    assert training.warmup_updates == 0
    assert (training.divide_by, training.max_gradient_norm) == ("sentences", 5.0)
    assert training.label_smoothing == 0
    assert (training.max_epochs, training.max_updates) == (7.5, 0)
    assert training.patience == 0
    assert config.decoding.beam_size == 12
