"""What holds for every model that settings can describe, on a sample of them.

The sample has every pair of settings that go together.
"""

import functools
import pathlib

import keras
import numpy as np
import pytest
import tensorflow as tf

from nmt.models import Seq2Seq, build_model, parameter_count
from nmt.models.seq2seq import shift_right
from tests.models import sample
from tests.tolerance import assert_close

# The third sentence is one token long; no two have the same length.
SOURCE = np.array([[5, 6, 7, 3], [6, 3, 0, 0], [3, 0, 0, 0], [8, 5, 3, 0]], np.int32)
TARGET = np.array([[4, 5, 3], [6, 3, 0], [7, 5, 3], [3, 0, 0]], np.int32)

combinations = pytest.mark.parametrize(
    "index", range(len(sample.SAMPLE)), ids=[*map(sample.name, sample.SAMPLE)]
)


@functools.cache
def model_of(index: int) -> Seq2Seq:
    """Builds a model of the sample, its weights drawn anew, biases included."""
    model = build_model(sample.SAMPLE[index], 9, 8)
    random = np.random.default_rng(index)
    model.set_weights([random.normal(0, 0.6, each.shape) for each in model.weights])
    return model


@combinations
def test_closed_form_counts_the_weights(index: int) -> None:
    model, config = model_of(index), sample.SAMPLE[index]
    assert model.count_params() == parameter_count(config, 9, 8)
    matrices = [
        each for each in model.weights if each.name not in ("bias", "gamma", "beta")
    ]
    counted = sum(int(np.prod(each.shape)) for each in matrices)
    assert counted == parameter_count(config, 9, 8, biases=False)


@combinations
def test_steps_give_the_logits_of_a_padded_batch_in_another_order(index: int) -> None:
    model = model_of(index)
    turned = (np.pad(ids[::-1], [(0, 0), (0, 2)]) for ids in (SOURCE, TARGET))
    expected = model(tuple(turned)).numpy()[::-1]
    state, memory = model.encode(SOURCE)
    for position, ids in enumerate(np.transpose(shift_right(tf.constant(TARGET)))):
        logits, state = model.step(ids, state, memory)
        rows = TARGET[:, position] > 0
        assert_close(logits.numpy()[rows], expected[rows, position], "float32")


@combinations
def test_rows_of_a_sentence_step_as_if_each_had_a_memory(index: int) -> None:
    model, rows = model_of(index), 3
    state, memory = tf.nest.map_structure(
        lambda part: tf.repeat(part, rows, axis=0), model.encode(SOURCE)
    )
    for seed in range(2):
        ids = np.random.default_rng(seed).integers(2, 8, rows * len(SOURCE))
        expected = model.step(ids, state, memory)
        found = model.step(ids, state, model.encode(SOURCE).memory)
        tf.nest.assert_same_structure(found, expected)
        for one, other in zip(*map(tf.nest.flatten, (found, expected)), strict=True):
            assert_close(one, other, "float32")
        _, state = expected


@combinations
def test_every_weight_has_a_gradient(index: int) -> None:
    model = model_of(index)
    with tf.GradientTape() as tape:
        loss = model.losses(SOURCE, TARGET, 0.1, training=True).loss
    found = tape.gradient(loss, [weight.value for weight in model.weights])
    for weight, gradient in zip(model.weights, found, strict=True):
        assert gradient is not None, weight.path
        gradient = tf.convert_to_tensor(gradient).numpy()
        assert np.isfinite(gradient).all(), weight.path
        assert np.abs(gradient).max() > 1e-7, weight.path


@combinations
def test_configuration_makes_an_equal_model(index: int) -> None:
    model = model_of(index)
    copy = Seq2Seq.from_config(model.get_config())
    copy.build()
    assert copy.get_config() == model.get_config()
    shapes = [(each.name, each.shape) for each in copy.weights]
    assert shapes == [(each.name, each.shape) for each in model.weights]


# TensorFlow's variables do not know NumPy 2's copy keyword.
@pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
@pytest.mark.parametrize("attention", ["none", "last_state", "bahdanau", "luong_dot"])
def test_keras_file_restores_the_model(attention: str, tmp_path: pathlib.Path) -> None:
    # The deepest one, with layers above those that attend if there are any.
    index = max(
        (i for i, each in enumerate(sample.SAMPLE) if each.attention == attention),
        key=lambda i: (sample.SAMPLE[i].num_layers, sample.SAMPLE[i].layer_norm),
    )
    model = model_of(index)
    model.save(tmp_path / "model.keras")
    restored = keras.models.load_model(tmp_path / "model.keras")
    expected = model((SOURCE, TARGET))
    np.testing.assert_array_equal(restored((SOURCE, TARGET)), expected)
