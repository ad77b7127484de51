"""A model whose words are cut by vocabulary has the numbers of the dense one."""

from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

from nmt.layers import ShardedEmbedding, ShardedSoftmax, join_shards, slice_name
from nmt.models import Seq2Seq, WordLogits
from nmt.models.word_layers import tables_of, word_embedding, word_projection
from tests.models import sharded
from tests.tolerance import assert_close

SOURCE = np.array([[5, 10, 6, 3], [9, 3, 0, 0], [8, 4, 3, 0]], np.int32)
TARGET = np.array([[4, 9, 3], [6, 3, 0], [8, 0, 0]], np.int32)


def gradients(model: Seq2Seq, static_shapes: bool) -> dict[str, np.ndarray]:
    """Returns the figures of a batch, and gradients by path of the whole weight."""

    @tf.function
    def run() -> Any:
        with tf.GradientTape() as tape:
            sums = model.losses(
                tf.constant(SOURCE),
                tf.constant(TARGET),
                label_smoothing=0.1,
                training=True,
                static_shapes=static_shapes,
            )
        variables = [each.value for each in model.trainable_variables]
        found = tape.gradient(sums.loss, variables)
        return sums, [tf.convert_to_tensor(each) for each in found]

    sums, found = run()
    parts: dict[str, list[np.ndarray]] = {}
    axes: dict[str, int] = {}
    for variable, gradient in zip(model.trainable_variables, found, strict=True):
        name = slice_name(variable.path)
        path = name.path if name else variable.path
        parts.setdefault(path, []).append(gradient.numpy())
        axes[path] = name.axis if name else 0
    return {
        **{field: value.numpy() for field, value in sums._asdict().items()},
        **{path: np.concatenate(each, axes[path]) for path, each in parts.items()},
    }


@pytest.mark.parametrize(
    ("name", "shards", "recompute", "static_shapes"),
    [("lstm", 3, False, False), ("search", 4, True, False), ("tied", 4, True, True)],
)
def test_losses_and_gradients_are_those_of_the_dense_model(
    name: str, shards: int, recompute: bool, static_shapes: bool
) -> None:
    dense = sharded.randomise(sharded.make_model(name, 1))
    model = sharded.randomise(sharded.make_model(name, shards, recompute))
    expected = gradients(dense, static_shapes)
    found = gradients(model, static_shapes)
    assert found.keys() == expected.keys()
    for key, value in expected.items():
        assert_close(found[key], value, "float32", key)


@pytest.mark.parametrize("name", sharded.MODELS)
def test_logits_are_those_of_the_dense_model(name: str) -> None:
    dense = sharded.randomise(sharded.make_model(name, 1))
    model = sharded.randomise(sharded.make_model(name, 4))
    both = [each((SOURCE, TARGET)) for each in (model, dense)]
    assert_close(*both, "float32")
    steps = [
        each.step(tf.constant([9, 2, 5]), *each.encode(tf.constant(SOURCE)))[0]
        for each in (model, dense)
    ]
    assert [part.shape[1] for part in steps[0]] == [3, 3, 3, 1]
    assert_close(join_shards(steps[0]), steps[1], "float32")


@pytest.mark.parametrize("name", ["lstm", "tied"])
def test_configuration_makes_an_equal_model(name: str) -> None:
    model = sharded.randomise(sharded.make_model(name, 4, recompute=True))
    copy = keras.saving.deserialize_keras_object(
        keras.saving.serialize_keras_object(model)
    )
    copy.build()
    copy.set_weights(model.get_weights())
    assert isinstance(copy.decoder.projection, ShardedSoftmax)
    assert copy.decoder.projection.recompute
    np.testing.assert_array_equal(copy((SOURCE, TARGET)), model((SOURCE, TARGET)))


def test_words_outside_the_vocabulary_are_refused() -> None:
    model = sharded.make_model("lstm", 4)
    target = np.where(TARGET == 9, 10, TARGET)
    with pytest.raises(tf.errors.InvalidArgumentError, match="vocabulary of 10 words"):
        model.losses(tf.constant(SOURCE), tf.constant(target))


def test_nothing_is_cut_unless_it_is_asked_for() -> None:
    embedding = word_embedding(7, 3, "uniform")
    embedding.build()
    assert isinstance(embedding, keras.layers.Embedding)
    assert tables_of(embedding).shape == [7, 3]
    assert isinstance(word_projection(7), WordLogits)
    assert sharded.make_model("lstm", 1).decoder.projection.name == "projection"


def test_slices_are_as_many_as_their_devices() -> None:
    embedding = word_embedding(7, 3, "uniform", [1, 2])
    embedding.build()
    assert isinstance(embedding, ShardedEmbedding)
    assert [table.shape[0] for table in tables_of(embedding)] == [4, 3]
    projection = word_projection(7, shards=[1, 2], recompute=True, tied=True)
    assert (projection.stages, projection.tied) == ((1, 2), True)
