"""From settings to a model: what it is made of, and how its weights start."""

from typing import Any

import numpy as np
import pytest

from nmt.config import ModelConfig
from nmt.errors import UserError
from nmt.layers import (
    AttentionWrapper,
    BahdanauAttention,
    GRUStack,
    LSTMStack,
    LuongAttention,
)
from nmt.models import (
    AttentionDecoder,
    Decoder,
    FixedContext,
    Seq2Seq,
    build_model,
)

SIZES: dict[str, Any] = {"embedding_size": 5, "hidden_size": 6, "attention_size": 7}


def attention_model(**settings: Any) -> Seq2Seq:
    return build_model(ModelConfig(**(SIZES | settings)), 9, 8)


def test_without_attention_it_is_the_lstm_paper() -> None:
    model = build_model(ModelConfig(**SIZES), 9, 8)
    assert isinstance(model.decoder, Decoder)
    assert isinstance(model.encoder.stack, LSTMStack)


def test_layers_above_a_bottom_that_attends_are_a_stack_of_their_own() -> None:
    decoder = attention_model(attention="bahdanau", cell="gru", num_layers=3).decoder
    assert isinstance(decoder, AttentionDecoder)
    assert isinstance(decoder.attending, AttentionWrapper)
    assert isinstance(decoder.attending.attention, BahdanauAttention)
    assert isinstance(decoder.attending.cell, GRUStack)
    assert (decoder.attending.cell.num_layers, decoder.upper.num_layers) == (1, 2)
    assert decoder.attending.query == "previous"


def test_top_that_attends_has_all_layers_in_its_loop() -> None:
    decoder = attention_model(
        attention="luong_scaled",
        attention_layer="top",
        attention_query="new",
        deep_output="tanh",
        output_size=4,
        input_feeding=True,
        num_layers=3,
    ).decoder
    assert decoder.upper is None
    # The attentional layer is the deep output.
    assert decoder.deep_output is None
    attending = decoder.attending
    assert attending.cell.num_layers == 3
    assert (attending.query, attending.attention_size) == ("new", 4)
    assert attending.input_feeding
    assert isinstance(attending.attention, LuongAttention)
    assert attending.attention.score == "scaled"


def test_last_state_is_a_fixed_context() -> None:
    decoder = attention_model(attention="last_state", bidirectional=True).decoder
    assert isinstance(decoder.attending, FixedContext)
    assert decoder.attending.context_size == 12
    assert decoder.attending.stack.num_layers == 2


@pytest.mark.parametrize("cell", ["lstm", "gru"])
def test_quick_loops_run_where_there_are_any(cell: str) -> None:
    model = attention_model(attention="bahdanau", cell=cell, num_layers=2)
    assert model.decoder.kernels_in_use[0] == "quick"


@pytest.mark.parametrize("initializer", ["uniform", "bahdanau", "keras"])
def test_no_two_weights_start_alike(initializer: str) -> None:
    model = attention_model(
        attention="bahdanau",
        bidirectional=True,
        deep_output="maxout",
        output_size=6,
        initializer=initializer,
    )
    starts = {each.path: tuple(each.numpy().ravel()[:4]) for each in model.weights}
    zeros = {path for path, values in starts.items() if not any(values)}
    random = [values for path, values in starts.items() if path not in zeros]
    assert len(set(random)) == len(random)
    names = {path.rpartition("/")[2] for path in zeros}
    expected = {"uniform": set(), "bahdanau": {"bias", "energy_vector"}}
    assert names == expected.get(initializer, {"bias"})


def test_bahdanau_initialisation_is_that_of_the_paper() -> None:
    model = attention_model(
        attention="bahdanau",
        bidirectional=True,
        deep_output="maxout",
        initializer="bahdanau",
        hidden_size=40,
        embedding_size=40,
        attention_size=40,
    )
    for weight in model.weights:
        values = weight.numpy()
        if weight.name in ("bias", "energy_vector"):
            assert (values == 0).all(), weight.path
        elif weight.name == "recurrent_kernel":
            for block in np.split(values, values.shape[1] // 40, axis=1):
                np.testing.assert_allclose(block @ block.T, np.eye(40), atol=1e-5)
        else:
            alignment = "query_kernel" in weight.path or "memory" in weight.path
            expected = 0.001 if alignment else 0.01
            assert values.std() == pytest.approx(expected, rel=0.2), weight.path


@pytest.mark.slow
def test_the_lstm_papers_model_can_be_built() -> None:
    config = ModelConfig(embedding_size=1000, hidden_size=1000, num_layers=4)
    assert build_model(config, 160_000, 80_000).count_params() == 384_112_000


def test_an_unknown_initializer_is_refused() -> None:
    with pytest.raises(UserError, match="initializer='zeros'"):
        build_model(ModelConfig(initializer="zeros"), 5, 5)
