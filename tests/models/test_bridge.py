"""From the encoder's last states to the decoder's first."""

from typing import Any

import numpy as np
import tensorflow as tf

from nmt.layers import BidirectionalState, GRUState, LSTMState
from nmt.models import Bridge
from tests.tolerance import assert_close

random = np.random.default_rng(4)


def values() -> tf.Tensor:
    return tf.constant(random.normal(size=(2, 3)), tf.float32)


def dense(bridge: Bridge, layer: int, hidden: Any) -> np.ndarray:
    kernel, bias = (w.numpy() for w in bridge.projections[layer].weights)
    return np.tanh(np.asarray(hidden) @ kernel + bias)


def test_state_of_the_backward_direction_is_projected() -> None:
    bridge = Bridge("gru", 3, 4, 2, bias_initializer="random_normal")
    states = [
        BidirectionalState(GRUState(values()), GRUState(values())) for _ in range(2)
    ]
    start = bridge(tuple(states))
    for layer, (state, given) in enumerate(zip(start, states, strict=True)):
        assert isinstance(state, GRUState)
        expected = dense(bridge, layer, given.backward.hidden)
        assert_close(state.hidden, expected, "float32")


def test_last_state_of_one_direction_is_projected() -> None:
    bridge = Bridge("gru", 3, 4, 1)
    given = GRUState(values())
    (state,) = bridge((given,))
    assert_close(state.hidden, dense(bridge, 0, given.hidden), "float32")


def test_cell_of_an_lstm_is_another_projection_of_its_hidden_state() -> None:
    bridge = Bridge("lstm", 3, 4, 1)
    given = LSTMState(values(), values())
    (state,) = bridge((given,))
    both = dense(bridge, 0, given.hidden)
    assert_close(state.hidden, both[:, :4], "float32")
    assert_close(state.cell, both[:, 4:], "float32")
    (other,) = bridge((given._replace(cell=values()),))
    np.testing.assert_array_equal(other.cell, state.cell)


def test_layers_do_not_start_alike() -> None:
    bridge = Bridge("gru", 3, 4, 2)
    bridge.build()
    first, second = (layer.kernel.numpy() for layer in bridge.projections)
    assert np.abs(first - second).max() > 1e-3


def test_configuration_makes_an_equal_layer() -> None:
    bridge = Bridge("lstm", 3, 4, 2, kernel_initializer="orthogonal")
    assert Bridge.from_config(bridge.get_config()).get_config() == bridge.get_config()
