"""Operations that go where a tensor is."""

import tensorflow as tf

from nmt.distribution import DeviceGrid, placed
from nmt.distribution.colocation import on_host, where_lives

ONE = [["CPU:0", "CPU:1", "CPU:2", "CPU:3"]]


def where(function: tf.Operation) -> str:
    return tf.DeviceSpec.from_string(function.device).device_index


def test_operations_follow_what_is_placed() -> None:
    @tf.function
    def graph(x: tf.Tensor) -> tf.Tensor:
        y = placed(2, tf.square)(x)
        with where_lives(y):
            z = y + 1.0
        assert where(z) == 2
        assert (y + 1.0).device == ""
        return z

    with DeviceGrid(ONE).scope():
        assert float(graph(tf.constant(3.0))) == 10.0
        y = placed(3, tf.square)(tf.constant(3.0))
        with where_lives(y):
            assert where(y + 1.0) == 3


def test_what_is_not_placed_says_nothing() -> None:
    @tf.function
    def graph(x: tf.Tensor) -> tf.Tensor:
        y = tf.square(x)
        with where_lives(y):
            z = y + 1.0
        assert z.device == ""
        return z

    assert float(graph(tf.constant(3.0))) == 10.0


def test_the_host_is_a_cpu() -> None:
    with tf.device("CPU:2"), on_host():
        assert tf.constant(1.0).device.endswith("task:0/device:CPU:0")
