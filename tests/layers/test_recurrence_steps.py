import numpy as np
import pytest
import tensorflow as tf

from nmt.layers.attention_step import AttentionTensors
from nmt.layers.gru_cell import GRUState
from nmt.layers.gru_kernel import GRUKernel
from nmt.layers.recurrence_steps import (
    Loop,
    new_array,
    reader,
    readers,
    time_first,
    transposed,
    write_all,
)

UNITS, ATTENTION = 2, 4
U = tf.reshape(tf.range(UNITS * 3 * UNITS, dtype=tf.float32), [UNITS, 3 * UNITS])


def make(
    recurrent_mask: tf.Tensor | None = None, attention: AttentionTensors | None = None
) -> Loop:
    start = GRUState(tf.zeros([1, UNITS]))
    return Loop(GRUKernel(), start, U, None, recurrent_mask, attention)


def test_direct_columns_come_first() -> None:
    loop = make()
    direct, inner = loop.kernels()
    np.testing.assert_array_equal(direct, U[:, : 2 * UNITS])
    np.testing.assert_array_equal(inner, U[:, 2 * UNITS :])
    assert loop.query_size == 0


def test_query_kernel_is_put_before_the_direct_columns() -> None:
    query_kernel = -tf.ones([UNITS, ATTENTION])
    nothing = tf.zeros([1, 1, 1])
    loop = make(
        attention=AttentionTensors(
            nothing, nothing, nothing, query_kernel, nothing, nothing
        )
    )
    direct, _ = loop.kernels()
    np.testing.assert_array_equal(direct[:, :ATTENTION], query_kernel)
    np.testing.assert_array_equal(direct[:, ATTENTION:], U[:, : 2 * UNITS])
    assert loop.query_size == ATTENTION


def test_a_step_sees_what_dropout_left() -> None:
    hidden = tf.constant([[3.0, 5.0]])
    np.testing.assert_array_equal(make().visible(hidden), hidden)
    dropped = make(tf.constant([[0.0, 2.0]])).visible(hidden)
    np.testing.assert_array_equal(dropped, [[0, 10]])


def test_readers_read_the_step_that_is_asked_for() -> None:
    values = np.arange(12.0).reshape(4, 3)
    np.testing.assert_array_equal(
        reader(tf.constant(values))(tf.constant(2)), values[2]
    )
    read = readers([tf.constant(values), tf.constant(-values)])
    np.testing.assert_array_equal(read(tf.constant(1)), [values[1], -values[1]])
    assert readers([])(tf.constant(0)) == ()


def test_arrays_have_the_width_asked_for() -> None:
    like = tf.zeros([3, 2], tf.float16)
    arrays = (new_array(2, like), new_array(2, like, 5))
    for t in range(2):
        values = [tf.fill([3, width], tf.cast(t, tf.float16)) for width in (2, 5)]
        arrays = write_all(arrays, t, values)
    stacked = [array.stack() for array in arrays]
    assert [value.shape for value in stacked] == [[2, 3, 2], [2, 3, 5]]
    np.testing.assert_array_equal(stacked[1][:, 0, 0], [0, 1])
    with pytest.raises(ValueError, match="zip"):
        write_all(arrays, 0, [like])


def test_transposed_kernel_has_padded_rows() -> None:
    kernel = tf.random.normal([512, 3])
    assert transposed(kernel).shape == [3, 544]
    np.testing.assert_array_equal(transposed(kernel)[:, :512], tf.transpose(kernel))


def test_time_comes_first() -> None:
    inputs, mask = np.arange(24.0).reshape(2, 3, 4), [[1, 1, 0], [1, 0, 0]]
    steps, valid = time_first(tf.constant(inputs), mask)
    np.testing.assert_array_equal(steps[2], inputs[:, 2])
    np.testing.assert_array_equal(valid, np.array(mask, bool).T)
    assert time_first(tf.constant(inputs), None)[1] is None
