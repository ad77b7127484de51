"""Every file in configs/ loads, survives JSON and has a known number of parameters."""

import pytest

from nmt.config import Config, ModelConfig
from nmt.models import build_model, parameter_count
from tests.configs.loading import NAMES, load

# With vocabularies as large as the configuration allows.
PARAMETERS = {
    "bahdanau15_encdec": 68_578_000,
    # 80,401,000 of the paper, and biases: the GRUs' 3 * 3,000, the first state's 1,000,
    # the deep output's 1,000 and the softmax's 30,000.
    "bahdanau15_search": 80_442_000,
    "cmudict_lstm": 1_890_404,
    "cmudict_search": 1_584_996,
    "multi30k_lstm": 9_791_248,
    "multi30k_search": 4_152_224,
    "quickstart_cmudict": 896_932,
    "quickstart_multi30k": 2_721_952,
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


@pytest.mark.parametrize(
    ("name", "expected"),
    [("bahdanau15_search", 80_401_000), ("bahdanau15_encdec", 68_540_000)],
)
def test_bahdanau15_counts_without_biases(name: str, expected: int) -> None:
    config = load(name)
    sizes = config.data.source_vocabulary_size, config.data.target_vocabulary_size
    assert sizes == (30_000, 30_000)
    assert parameter_count(config.model, *sizes, biases=False) == expected


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bahdanau15_search", "bahdanau15_encdec"])
def test_bahdanau15_can_be_built(name: str) -> None:
    model = build_model(load(name).model, 30_000, 30_000)
    assert model.count_params() == PARAMETERS[name]


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


@pytest.mark.parametrize("name", ["bahdanau15_search", "bahdanau15_encdec"])
def test_bahdanau15_is_the_recipe_of_the_paper(name: str) -> None:
    config = load(name)
    assert not config.data.reverse_source
    assert (config.data.max_source_length, config.data.max_target_length) == (50, 50)
    batching = config.batching
    assert (batching.batch_by, batching.batch_size) == ("sentences", 80)
    assert batching.batch_size * batching.pool_batches == 1600
    model = config.model
    assert (model.cell, model.num_layers, model.dropout) == ("gru", 1, 0.0)
    assert (model.embedding_size, model.hidden_size) == (620, 1000)
    assert (model.deep_output, model.output_size) == ("maxout", 500)
    assert (model.output_state, model.initializer) == ("previous", "bahdanau")
    assert (model.residual, model.layer_norm) == (False, False)
    assert not model.tied_embeddings
    training = config.training
    assert (training.optimizer, training.learning_rate) == ("adadelta", 1.0)
    assert (training.schedule, training.warmup_updates) == ("constant", 0)
    assert (training.divide_by, training.max_gradient_norm) == ("sentences", 1.0)
    assert training.label_smoothing == 0
    assert training.average_checkpoints == 1
    assert (training.max_updates, training.patience) == (0, 0)
    assert config.decoding.beam_size == 12


def test_bahdanau15_models_differ_in_the_context() -> None:
    search = load("bahdanau15_search").model
    assert (search.attention, search.attention_size) == ("bahdanau", 1000)
    assert search.attention_query == "previous"
    assert search.bidirectional
    search.attention, search.bidirectional = "last_state", False
    search.attention_size = ModelConfig().attention_size
    assert load("bahdanau15_encdec").model == search
