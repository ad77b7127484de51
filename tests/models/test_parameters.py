"""Sizes of models in closed form; `test_every_combination` compares it with models."""

import dataclasses

import pytest

from nmt.config import ModelConfig
from nmt.models import parameter_count

LSTM_PAPER = ModelConfig(embedding_size=1000, hidden_size=1000, num_layers=4)
RNNSEARCH = ModelConfig(
    cell="gru",
    embedding_size=620,
    hidden_size=1000,
    num_layers=1,
    bidirectional=True,
    attention="bahdanau",
    attention_size=1000,
    deep_output="maxout",
    output_size=500,
    output_state="previous",
)


def test_the_lstm_paper_has_384_million_weights_and_112_000_biases() -> None:
    assert parameter_count(LSTM_PAPER, 160_000, 80_000, biases=False) == 384_000_000
    assert parameter_count(LSTM_PAPER, 160_000, 80_000) == 384_112_000


def test_rnnsearch_has_80_401_000_weights_and_41_000_biases() -> None:
    assert parameter_count(RNNSEARCH, 30_000, 30_000, biases=False) == 80_401_000
    assert parameter_count(RNNSEARCH, 30_000, 30_000) == 80_442_000


@pytest.mark.parametrize(
    ("settings", "difference"),
    [
        # In both stacks: a gain and a bias for each input of the second layer.
        ({"layer_norm": True}, 2 * 2 * 1000),
        ({"residual": True}, 0),
        ({"attention": "luong_dot"}, -(1000 + 1000 + 1) * 1000),
        ({"attention": "luong_scaled"}, -(1000 + 1) * 1000 + 1),
        ({"attention": "normalized_bahdanau"}, 1 + 1000),
        ({"tied_embeddings": True}, -620 * 30_000),
        # The second layer reads the context too, the first one does in both.
        ({"attention_layer": "bottom"}, 3 * 1000 * 1000),
    ],
)
def test_settings_add_what_they_say(
    settings: dict[str, object], difference: int
) -> None:
    plain = dataclasses.replace(
        RNNSEARCH,
        num_layers=2,
        bidirectional=False,
        attention_layer="top",
        deep_output="tanh",
        output_size=620,
        output_state="new",
    )
    changed = dataclasses.replace(plain, **settings)
    sizes = 30_000, 30_000
    found = parameter_count(changed, *sizes) - parameter_count(plain, *sizes)
    assert found == difference
