"""Word vectors in slices are those of one table."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from nmt.distribution import DeviceGrid
from nmt.layers import ShardedEmbedding
from tests.layers.cases import EXECUTIONS

IDS = np.array([[3, 0, 9], [3, 5, 0]])
ONE = [["CPU:0", "CPU:1", "CPU:2", "CPU:3"]]


def joined(layer: ShardedEmbedding) -> np.ndarray:
    return np.concatenate([table.numpy() for table in layer.tables])


@pytest.mark.parametrize(
    ("shards", "execution"),
    [(1, "eager"), (3, "graph"), (4, "xla"), (10, "eager"), (12, "graph")],
)
def test_vectors_and_gradients_are_those_of_one_table(
    shards: int, execution: str
) -> None:
    layer = ShardedEmbedding(10, 3, shards)
    layer.build()
    table, shares = tf.Variable(joined(layer)), tf.random.normal([2, 3, 3])

    def run(look_up: object, weights: list[tf.Variable]) -> tuple[tf.Tensor, tf.Tensor]:
        def gradients() -> tuple[tf.Tensor, tf.Tensor]:
            with tf.GradientTape() as tape:
                found = look_up(tf.constant(IDS))
                total = tf.reduce_sum(found * shares)
            parts = tape.gradient(total, weights)
            return found, tf.concat([tf.convert_to_tensor(each) for each in parts], 0)

        return EXECUTIONS[execution](gradients)()

    expected = run(lambda ids: tf.gather(table, ids), [table])
    found = run(layer, [each.value for each in layer.tables])
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_array_equal(found[1], expected[1])


@pytest.mark.parametrize("stages", [None, (1, 2, 3)])
def test_foreign_words_touch_no_row(stages: tuple[int, ...] | None) -> None:
    with DeviceGrid(ONE).scope():
        layer = ShardedEmbedding(10, 3, 3, stages)
        layer.build()
        with tf.GradientTape() as tape:
            total = tf.reduce_sum(layer(tf.constant(IDS)))
        gradients = tape.gradient(total, [each.value for each in layer.tables])
    assert all(isinstance(each, tf.IndexedSlices) for each in gradients)
    touched = [sorted(each.indices.numpy()) for each in gradients]
    assert touched == [[0, 0, 3, 3], [1], [1]]


def test_slices_start_as_one_table_of_the_same_seed() -> None:
    draw = keras.initializers.RandomUniform(seed=3)
    layers = [
        ShardedEmbedding(10, 3, shards, embeddings_initializer=draw)
        for shards in (1, 4)
    ]
    for layer in layers:
        layer.build()
    np.testing.assert_array_equal(joined(layers[0]), joined(layers[1]))


@pytest.mark.parametrize("execution", ["eager", "graph"])
@pytest.mark.parametrize("id", [-1, 10])
def test_ids_outside_the_vocabulary_are_refused(id: int, execution: str) -> None:
    layer = ShardedEmbedding(10, 3, 4)
    look_up = EXECUTIONS[execution](lambda ids: layer(ids))
    with pytest.raises(tf.errors.InvalidArgumentError, match="vocabulary of 10 words"):
        look_up(tf.constant([3, id]))


def test_half_precision_and_masks() -> None:
    layer = ShardedEmbedding(10, 3, 4, mask_zero=True, dtype="mixed_bfloat16")
    assert layer(IDS).dtype == tf.bfloat16
    assert {table.dtype for table in layer.tables} == {"float32"}
    np.testing.assert_array_equal(layer.compute_mask(IDS), IDS != 0)
    assert ShardedEmbedding(10, 3, 4).compute_mask(IDS) is None


def test_tables_are_on_their_stages() -> None:
    with DeviceGrid(ONE).scope():
        layer = ShardedEmbedding(10, 3, 3, stages=(3, 1))
        layer.build()
    devices = [table.value.device[-5:] for table in layer.tables]
    assert devices == ["CPU:3", "CPU:1", "CPU:3"]
