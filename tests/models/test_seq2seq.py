"""The model: what padding must not change, and its two ways of being run."""

import pathlib

import keras
import numpy as np
import pytest
import tensorflow as tf

from nmt.config import ModelConfig
from nmt.models import Seq2Seq, build_model
from nmt.models.seq2seq import shift_right

SOURCE = np.array([[5, 6, 7, 3], [6, 3, 0, 0], [3, 0, 0, 0]], np.int32)
TARGET = np.array([[4, 5, 3, 0], [6, 5, 4, 3], [7, 3, 0, 0]], np.int32)


@pytest.fixture
def model() -> Seq2Seq:
    sizes = ModelConfig(embedding_size=5, hidden_size=6, num_layers=2, dropout=0.0)
    sizes.initializer, sizes.initializer_scale = "uniform", 0.5
    return build_model(sizes, 9, 8)


def widened(ids: np.ndarray, columns: int) -> np.ndarray:
    return np.pad(ids, [(0, 0), (0, columns)])


def test_target_is_read_one_position_later(model: Seq2Seq) -> None:
    changed = TARGET.copy()
    changed[1, 2] = 7
    before, after = model((SOURCE, TARGET)), model((SOURCE, changed))
    np.testing.assert_array_equal(before[1, :3], after[1, :3])
    assert np.abs(before[1, 3] - after[1, 3]).max() > 1e-3


def test_shift_right_starts_with_the_beginning_of_sentence() -> None:
    np.testing.assert_array_equal(
        shift_right(tf.constant(TARGET)), [[2, 4, 5, 3], [2, 6, 5, 4], [2, 7, 3, 0]]
    )


def test_more_padding_changes_nothing(model: Seq2Seq) -> None:
    plain = model.losses(SOURCE, TARGET)
    padded = model.losses(widened(SOURCE, 3), widened(TARGET, 5))
    for one, other in zip(plain, padded, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6)
    assert plain.tokens == 9
    assert plain.sentences == 3


def test_a_sentence_alone_has_the_same_loss_as_in_a_batch(model: Seq2Seq) -> None:
    together = float(model.losses(SOURCE, TARGET).nats)
    alone = 0.0
    for source, target in zip(SOURCE, TARGET, strict=True):
        source, target = source[source > 0], target[target > 0]
        alone += float(model.losses(source[None], target[None]).nats)
    assert together == pytest.approx(alone, rel=1e-6)


def test_rows_of_padding_add_nothing_and_leave_gradients_finite(
    model: Seq2Seq,
) -> None:
    empty = np.zeros((2, 4), np.int32)
    with tf.GradientTape() as tape:
        padded = model.losses(
            np.concatenate([SOURCE, empty]), np.concatenate([TARGET, empty])
        )
    gradients = tape.gradient(padded.loss, model.trainable_variables)
    assert all(np.isfinite(tf.convert_to_tensor(each)).all() for each in gradients)
    for one, other in zip(model.losses(SOURCE, TARGET), padded, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_static_shapes_give_the_same_loss_and_gradients(
    model: Seq2Seq, smoothing: float
) -> None:
    sums, gradients = [], []
    for static in (False, True):
        with tf.GradientTape() as tape:
            sums.append(model.losses(SOURCE, TARGET, smoothing, static_shapes=static))
        found = tape.gradient(sums[-1].loss, model.trainable_variables)
        gradients.append([tf.convert_to_tensor(each) for each in found])
    for one, other in zip(*sums, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6)
    for one, other in zip(*gradients, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-6)


def test_one_step_at_a_time_gives_the_logits_of_all_at_once(model: Seq2Seq) -> None:
    expected = model((SOURCE, TARGET)).numpy()
    state, memory = model.encode(SOURCE)
    for position, ids in enumerate(np.transpose(shift_right(tf.constant(TARGET)))):
        logits, state = model.step(ids, state, memory)
        rows = TARGET[:, position] > 0
        np.testing.assert_allclose(
            logits.numpy()[rows], expected[rows, position], atol=1e-5
        )


def test_loss_equals_keras_cross_entropy_of_the_logits(model: Seq2Seq) -> None:
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction=None)
    each = loss(TARGET, model((SOURCE, TARGET))) * (TARGET > 0)
    np.testing.assert_allclose(model.losses(SOURCE, TARGET).loss, np.sum(each), 1e-6)


def test_paper_initialisation_fills_the_whole_interval(model: Seq2Seq) -> None:
    seen = []
    for weight in model.weights:
        values = weight.numpy()
        assert np.abs(values).max() <= 0.5
        assert values.std() > 0.15, weight.path
        seen.append(values.ravel()[:4].tolist())
    assert len({tuple(values) for values in seen}) == len(seen)


# TensorFlow's variables do not know NumPy 2's copy keyword.
@pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
def test_keras_file_restores_the_model(model: Seq2Seq, tmp_path: pathlib.Path) -> None:
    expected = model((SOURCE, TARGET))
    model.save(tmp_path / "model.keras")
    restored = keras.models.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(restored((SOURCE, TARGET)), expected)
