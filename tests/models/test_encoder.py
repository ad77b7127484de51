"""The encoder: final states of each sentence alone, in the order it is given."""

import numpy as np
import pytest
import tensorflow as tf

from nmt.data.pipeline import source_batch
from nmt.models import Encoder
from tests.tolerance import assert_close

SENTENCES = [[5, 6, 7], [8], [6, 6, 5, 4]]


@pytest.fixture
def encoder() -> Encoder:
    return Encoder(
        9, embedding_size=3, hidden_size=4, num_layers=2, initializer="uniform"
    )


@pytest.mark.parametrize("reverse", [False, True])
def test_padding_and_neighbours_do_not_reach_the_state(
    encoder: Encoder, reverse: bool
) -> None:
    _, together = encoder(source_batch(tf.ragged.constant(SENTENCES), reverse))
    for row, sentence in enumerate(SENTENCES):
        words = sentence[::-1] if reverse else sentence
        _, alone = encoder(np.array([[*words, 3]]))
        for layer, expected in zip(together, alone, strict=True):
            assert_close(layer.hidden[row], expected.hidden[0], "float32")
            assert_close(layer.cell[row], expected.cell[0], "float32")


def test_last_annotation_is_the_hidden_state_of_the_top_layer(encoder: Encoder) -> None:
    annotations, state = encoder(np.array([[5, 6, 3], [5, 3, 0]]))
    assert_close(annotations[0, 2], state[1].hidden[0], "float32")
    assert_close(annotations[1, 1], state[1].hidden[1], "float32")


def test_row_of_padding_has_a_finite_state(encoder: Encoder) -> None:
    _, state = encoder(np.zeros((2, 4), np.int32))
    assert all(np.isfinite(value).all() for layer in state for value in layer)


def test_dropout_is_for_training_only() -> None:
    encoder = Encoder(9, 3, 4, num_layers=2, dropout=0.5)
    source = np.array([[5, 6, 3]])
    (_, first), (_, second) = encoder(source), encoder(source)
    (_, dropped) = encoder(source, training=True)
    np.testing.assert_array_equal(first[1].hidden, second[1].hidden)
    assert np.abs(first[1].hidden - dropped[1].hidden).max() > 1e-4


def test_configuration_makes_an_equal_layer(encoder: Encoder) -> None:
    copy = Encoder.from_config(encoder.get_config())
    assert copy.get_config() == encoder.get_config()
    encoder.build()
    copy.build()
    assert [w.shape for w in copy.weights] == [w.shape for w in encoder.weights]
