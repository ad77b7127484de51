"""The LSTM paper's decoder: from the encoder's state, one position after the other."""

import numpy as np
import pytest

from nmt.layers import GRUState, LSTMState
from nmt.models import Decoder, Encoder
from tests.reference import lstm
from tests.tolerance import assert_close

IDS = np.array([[2, 5, 6, 4], [2, 7, 7, 7]])


@pytest.fixture
def decoder() -> Decoder:
    layer = Decoder(9, 3, 4, num_layers=2, initializer="uniform", initializer_scale=0.7)
    layer.build()
    return layer


def random_state() -> tuple[LSTMState, ...]:
    generator = np.random.default_rng(2)
    return tuple(
        LSTMState(*generator.normal(size=(2, 2, 4)).astype("float32")) for _ in range(2)
    )


def test_logits_equal_the_float64_reference(decoder: Decoder) -> None:
    state = random_state()
    hidden = decoder(IDS, state).outputs
    arrays = [weight.numpy().astype("float64") for weight in decoder.weights]
    embeddings, layers, (projection, bias) = arrays[0], arrays[1:7], arrays[7:]
    x, mask = embeddings[IDS], np.ones_like(IDS, bool)
    for layer, start in enumerate(state):
        weights = lstm.Weights(*layers[3 * layer : 3 * layer + 3])
        x = lstm.sequence(x, *map(np.asarray, start), weights, mask)[0][:, 1:]
    assert_close(decoder.logits(hidden), x @ projection + bias, "float32")


def test_each_layer_starts_from_its_own_state(decoder: Decoder) -> None:
    state = random_state()
    hidden = decoder(IDS, state).outputs
    swapped = decoder(IDS, state[::-1]).outputs
    assert np.abs(hidden - swapped).max() > 1e-2


def test_step_equals_the_whole_sequence(decoder: Decoder) -> None:
    state = random_state()
    hidden, last, _ = decoder(IDS, state)
    expected = decoder.logits(hidden)
    for position in range(IDS.shape[1]):
        logits, state = decoder.step(IDS[:, position], state)
        assert_close(logits, expected[:, position], "float32")
    for one, other in zip(state, last, strict=True):
        assert_close(one.cell, other.cell, "float32")


def test_gru_layers_go_step_by_step_too() -> None:
    layer = Decoder(9, 3, 4, num_layers=2, cell="gru", layer_norm=True, residual=True)
    layer.build()
    random = np.random.default_rng(4).normal(size=(2, 2, 4)).astype("float32")
    state = tuple(GRUState(values) for values in random)
    expected = layer.logits(layer(IDS, state)[0])
    for position in range(IDS.shape[1]):
        logits, state = layer.step(IDS[:, position], state)
        assert_close(logits, expected[:, position], "float32")


def test_first_state_is_the_encoders_last(decoder: Decoder) -> None:
    encoding = Encoder(9, 3, 4, num_layers=2)(IDS)
    state, memory = decoder.start(encoding)
    assert state is encoding.state
    assert memory == ()


def test_configuration_makes_an_equal_layer(decoder: Decoder) -> None:
    copy = Decoder.from_config(decoder.get_config())
    assert copy.get_config() == decoder.get_config()
