"""A decoder that has the same context at every position."""

import numpy as np
import tensorflow as tf

from nmt.layers import BidirectionalState, GRUStack, GRUState, LSTMStack
from nmt.models import Encoding, FixedContext
from tests.reference import gru
from tests.tolerance import assert_close

random = np.random.default_rng(4)
CONTEXT = tf.constant(random.normal(size=(2, 5)), tf.float32)
INPUTS = tf.constant(random.normal(size=(2, 3, 4)), tf.float32)


def values() -> tf.Tensor:
    return tf.constant(random.normal(size=(2, 3)), tf.float32)


def made(num_layers: int = 1) -> FixedContext:
    layer = FixedContext(GRUStack(3, num_layers), context_size=5)
    layer.build((None, None, 4))
    return layer


def test_context_is_read_at_every_step() -> None:
    layer, start = made(), GRUState(values())
    found = layer(INPUTS, CONTEXT, layer.get_initial_state(CONTEXT, (start,)))
    x = np.concatenate([INPUTS, np.repeat(CONTEXT[:, np.newaxis], 3, axis=1)], axis=-1)
    weights = gru.Weights(*(weight.numpy() for weight in layer.weights))
    # z of the reference multiplies the new state, that of Keras the old one.
    turn = np.repeat([-1.0, 1.0, 1.0], 3)
    weights = gru.Weights(*(array * turn for array in weights))
    expected = gru.sequence(x, start.hidden.numpy(), weights, np.ones((2, 3), bool))
    assert_close(found.outputs, expected[:, 1:], "float32")
    assert_close(found.contexts, x[:, :, 4:], "float32")
    assert_close(found.state.cell[0].hidden, expected[:, -1], "float32")
    assert found.alignments.shape == (2, 3, 0)


def test_one_step_at_a_time_gives_all_steps() -> None:
    layer, start = made(2), (GRUState(values()), GRUState(values()))
    state = layer.get_initial_state(CONTEXT, start)
    found = layer(INPUTS, CONTEXT, state)
    for t in range(3):
        output, state = layer.step(INPUTS[:, t], state, CONTEXT)
        assert_close(output, found.outputs[:, t], "float32")
        assert_close(state.attention, CONTEXT, "float32")
    for one, other in zip(
        tf.nest.flatten(state), tf.nest.flatten(found.state), strict=True
    ):
        assert_close(one, other, "float32")


def test_memory_is_the_top_layers_last_state() -> None:
    layer, states = made(), [GRUState(values()) for _ in range(2)]
    one_way = Encoding(tf.zeros([2, 7, 3]), tf.ones([2, 7], tf.bool), tuple(states))
    np.testing.assert_array_equal(layer.build_memory(one_way), states[1].hidden)
    both = one_way._replace(state=(BidirectionalState(*states),))
    expected = np.concatenate([states[0].hidden, states[1].hidden], axis=-1)
    np.testing.assert_array_equal(layer.build_memory(both), expected)


def test_configuration_makes_an_equal_layer() -> None:
    layer = FixedContext(LSTMStack(3, 2, dropout=0.1), context_size=5)
    copy = FixedContext.from_config(layer.get_config())
    assert copy.get_config() == layer.get_config()
