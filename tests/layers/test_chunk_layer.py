"""One layer over one chunk: its gradient by hand is that of a tape."""

from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

from nmt.layers import GRU, LSTM
from nmt.layers.chunk_layer import ChunkLayer, trace_arrays, trace_of

TIME, BATCH, UNITS = 6, 2, 3
STEPS = slice(2, 5)


def make(kind: Any, *, everything: bool) -> ChunkLayer:
    layer = kind(UNITS)
    layer.build((None, None, UNITS))
    random = np.random.default_rng(0)

    def draw(*shape: int) -> tf.Tensor:
        return tf.constant(random.integers(0, 2, shape) * 2.0, tf.float32)

    norm = keras.layers.LayerNormalization() if everything else None
    if norm is not None:
        norm.build((None, None, UNITS))
    return ChunkLayer(
        layer=layer,
        stage=None,
        norm=norm,
        mask=tf.transpose(tf.sequence_mask([TIME, 4], TIME)) if everything else None,
        between=draw(TIME, BATCH, UNITS) if everything else None,
        recurrent=draw(BATCH, UNITS) if everything else None,
        residual=everything,
    )


@pytest.mark.parametrize("kind", [LSTM, GRU])
@pytest.mark.parametrize("everything", [False, True])
def test_backward_is_the_gradient_of_forward(kind: Any, everything: bool) -> None:
    layer = make(kind, everything=everything)
    below = tf.random.normal([3, BATCH, UNITS])
    parts = [tf.random.normal([BATCH, UNITS]) for _ in kind.state_type._fields]
    start, weights = kind.state_type(*parts), layer.weights()
    factors = tf.random.normal([3, BATCH, UNITS])
    with tf.GradientTape() as tape:
        tape.watch((below, start, weights))
        outputs, last, trace = layer.forward(below, start, weights, STEPS)
        loss = tf.reduce_sum(outputs * factors)
        loss += tf.add_n([tf.reduce_sum(part * part) for part in last])
    expected = tape.gradient(loss, tf.nest.flatten((below, start, weights)))
    d_last = kind.state_type(*(2.0 * part for part in last))
    found = layer.backward(trace, factors, d_last, weights, STEPS)
    for one, other in zip(tf.nest.flatten(found), expected, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5)


def test_arrays_hold_a_trace_in_its_order() -> None:
    layer = make(LSTM, everything=False)
    start = LSTM.state_type(*[tf.ones([BATCH, UNITS])] * 2)
    below = tf.zeros([3, BATCH, UNITS])
    _, _, trace = layer.forward(below, start, layer.weights(), STEPS)
    arrays = trace_arrays(layer, tf.constant(1), start, UNITS)
    values = tf.nest.flatten(trace)
    read = [
        array.write(0, value).read(0)
        for array, value in zip(arrays, values, strict=True)
    ]
    again = trace_of(layer, read)
    tf.nest.assert_same_structure(again, trace)
    np.testing.assert_array_equal(again.start.cell, trace.start.cell)
    np.testing.assert_array_equal(again.states.hidden, trace.states.hidden)
