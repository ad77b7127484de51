"""The encoder: each sentence alone, in the order it is given."""

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from nmt.data.pipeline import source_batch
from nmt.models import Encoder
from tests.reference import gru
from tests.tolerance import assert_close

SENTENCES = [[5, 6, 7], [8], [6, 6, 5, 4]]


def make(**options: Any) -> Encoder:
    sizes = {"embedding_size": 3, "hidden_size": 4, "num_layers": 2}
    return Encoder(9, **(sizes | {"initializer": "uniform"} | options))


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("bidirectional", [False, True])
@pytest.mark.parametrize("cell", ["lstm", "gru"])
def test_padding_and_neighbours_do_not_reach_a_sentence(
    cell: str, bidirectional: bool, reverse: bool
) -> None:
    encoder = make(cell=cell, bidirectional=bidirectional, initializer_scale=0.5)
    together = encoder(source_batch(tf.ragged.constant(SENTENCES), reverse))
    for row, sentence in enumerate(SENTENCES):
        words = sentence[::-1] if reverse else sentence
        alone = encoder(np.array([[*words, 3]]))
        for value, expected in zip(
            tf.nest.flatten(together.state), tf.nest.flatten(alone.state), strict=True
        ):
            assert_close(value[row], expected[0], "float32")
        length = len(words) + 1
        annotations = together.annotations[row, :length]
        assert_close(annotations, alone.annotations[0], "float32")
        assert together.mask[row].numpy().sum() == length


def test_last_annotation_is_the_hidden_state_of_the_top_layer() -> None:
    annotations, _, state = make()(np.array([[5, 6, 3], [5, 3, 0]]))
    assert_close(annotations[0, 2], state[1].hidden[0], "float32")
    assert_close(annotations[1, 1], state[1].hidden[1], "float32")


def test_annotations_of_both_directions_equal_the_reference() -> None:
    encoder = make(cell="gru", bidirectional=True, num_layers=1, initializer_scale=0.7)
    source = np.array([[5, 6, 7, 3], [8, 3, 0, 0]])
    found = encoder(source)
    embeddings, *arrays = (weight.numpy() for weight in encoder.weights)
    # z of the reference multiplies the new state, that of Keras the old one.
    turn = np.repeat([-1.0, 1.0, 1.0], 4)
    forward, backward = (
        gru.Weights(*(array * turn for array in arrays[first : first + 3]))
        for first in (0, 3)
    )
    x, mask, start = embeddings[source], source > 0, np.zeros((2, 4))
    right = gru.sequence(x, start, forward, mask)[:, 1:]
    left = gru.sequence_reversed(x, start, backward, mask)[:, :-1]
    expected = np.concatenate([right, left], axis=-1)
    assert_close(found.annotations.numpy()[mask], expected[mask], "float32")
    assert_close(found.state[0].forward.hidden, right[:, -1], "float32")
    assert_close(found.state[0].backward.hidden, left[:, 0], "float32")


@pytest.mark.parametrize("bidirectional", [False, True])
def test_row_of_padding_has_a_finite_state_and_no_words(bidirectional: bool) -> None:
    found = make(bidirectional=bidirectional)(np.zeros((2, 4), np.int32))
    values = (found.annotations, *tf.nest.flatten(found.state))
    assert all(np.isfinite(value).all() for value in values)
    assert not found.mask.numpy().any()


@pytest.mark.parametrize("bidirectional", [False, True])
def test_dropout_is_for_training_only(bidirectional: bool) -> None:
    encoder, source = make(dropout=0.5, bidirectional=bidirectional), [[5, 6, 3]]
    source = np.array(source)
    first, second = encoder(source), encoder(source)
    dropped = encoder(source, training=True)
    np.testing.assert_array_equal(first.annotations, second.annotations)
    assert (dropped.annotations.numpy() == 0).any()
    for plain, other in zip(
        tf.nest.flatten(first.state[1]), tf.nest.flatten(dropped.state[1]), strict=True
    ):
        assert np.abs(plain - other).max() > 1e-5


def test_configuration_makes_an_equal_layer() -> None:
    encoder = make(cell="gru", bidirectional=True, residual=True, layer_norm=True)
    copy = Encoder.from_config(encoder.get_config())
    assert copy.get_config() == encoder.get_config()
    encoder.build()
    copy.build()
    assert [w.shape for w in copy.weights] == [w.shape for w in encoder.weights]
    assert encoder.annotation_size == 8
