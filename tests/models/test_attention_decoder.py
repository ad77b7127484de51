"""The decoder that looks at the source at every position, whatever it is made of."""

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from nmt.config import ModelConfig
from nmt.models import AttentionDecoder, Encoding, Seq2Seq, build_model
from nmt.models.attention_decoder import AttentionDecoderState
from nmt.models.seq2seq import shift_right
from tests.tolerance import assert_close

SOURCE = np.array([[5, 6, 7, 3], [6, 3, 0, 0]], np.int32)
INPUTS = np.array([[2, 4, 5], [2, 7, 7]], np.int32)
SIZES: dict[str, Any] = {
    "cell": "gru",
    "embedding_size": 6,
    "hidden_size": 4,
    "attention_size": 5,
    "output_size": 6,
    "bidirectional": True,
    "attention": "bahdanau",
    "dropout": 0.0,
}
DEEP: dict[str, Any] = {"deep_output": "maxout", "output_state": "previous"}


def build(**settings: Any) -> Seq2Seq:
    model = build_model(ModelConfig(**(SIZES | settings)), 9, 8)
    random = np.random.default_rng(6)
    model.set_weights([random.normal(0, 0.7, each.shape) for each in model.weights])
    return model


def moved(state: AttentionDecoderState, part: str) -> AttentionDecoderState:
    """Returns the state with other numbers in one of its parts."""
    changed = tf.nest.map_structure(lambda value: value + 0.5, getattr(state, part))
    return state._replace(**{part: changed})


@pytest.mark.parametrize("part", ["attention", "upper"])
def test_decoder_goes_on_from_its_state(part: str) -> None:
    model = build(num_layers=3, **DEEP)
    state, memory = model.encode(SOURCE)
    assert [len(state.attention.cell), len(state.upper)] == [1, 2]
    whole = model.decoder(INPUTS, state, memory).outputs
    first, state, _ = model.decoder(INPUTS[:, :1], state, memory)
    second = model.decoder(INPUTS[:, 1:], state, memory).outputs
    assert_close(tf.concat([first, second], axis=1), whole, "float32")
    other = model.decoder(INPUTS[:, 1:], moved(state, part), memory).outputs
    assert np.abs(other - second).max() > 1e-2


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"num_layers": 1, **DEEP},
        {"attention": "last_state", "deep_output": "tanh"},
    ],
)
def test_words_see_the_whole_source_and_earlier_words(settings: dict[str, Any]) -> None:
    model = build(**settings)
    logits = model.decoder.logits(model.decoder(INPUTS, *model.encode(SOURCE)).outputs)
    other_source = SOURCE.copy()
    other_source[0, 2] = 8
    changed = model.decoder(INPUTS, *model.encode(other_source)).outputs
    changed = model.decoder.logits(changed)
    assert (np.abs(changed - logits)[0].max(-1) > 1e-3).all()
    assert_close(changed[1], logits[1], "float32")
    other_inputs = INPUTS.copy()
    other_inputs[0, 1] = 6
    changed = model.decoder(other_inputs, *model.encode(SOURCE)).outputs
    moved = np.abs(model.decoder.logits(changed) - logits)[0].max(-1)
    assert (moved > 1e-3).tolist() == [False, True, True]


def test_memory_is_made_once() -> None:
    model = build(num_layers=1)
    memory = model.encode(SOURCE).memory
    encoding = model.encoder(SOURCE)
    kernel = model.decoder.attending.attention.memory_kernel.numpy()
    words = SOURCE > 0
    expected = (encoding.annotations.numpy() @ kernel)[words]
    assert_close(memory.keys.numpy()[words], expected, "float32")
    np.testing.assert_array_equal(memory.mask, words)


@pytest.mark.parametrize("settings", [DEEP, {"attention_layer": "top"}])
def test_alignments_of_all_positions_are_those_of_the_steps(
    settings: dict[str, Any],
) -> None:
    model = build(num_layers=2, **settings)
    assert model.attends
    logits, alignments = model.logits_and_alignments(SOURCE, INPUTS)
    np.testing.assert_array_equal(logits, model((SOURCE, INPUTS)))
    state, memory = model.encode(SOURCE)
    for position, ids in enumerate(np.transpose(shift_right(tf.constant(INPUTS)))):
        _, state = model.step(ids, state, memory)
        assert_close(alignments[:, position], state.attention.alignments, "float32")
    assert_close(tf.reduce_sum(alignments, axis=-1), np.ones((2, 3)), "float32")


@pytest.mark.parametrize("attention", ["none", "last_state"])
def test_decoder_that_does_not_attend_has_no_alignments(attention: str) -> None:
    model = build(attention=attention, bidirectional=attention == "last_state")
    assert not model.attends
    assert model.logits_and_alignments(SOURCE, INPUTS)[1] is None


def test_row_of_padding_is_harmless() -> None:
    model = build(num_layers=2, **DEEP)
    padded = np.concatenate([SOURCE, np.zeros((1, 4), np.int32)])
    with tf.GradientTape() as tape:
        sums = model.losses(padded, np.concatenate([INPUTS, [[0, 0, 0]]]))
    found = tape.gradient(sums.loss, [weight.value for weight in model.weights])
    assert all(np.isfinite(tf.convert_to_tensor(each)).all() for each in found)
    assert_close(sums.loss, model.losses(SOURCE, INPUTS).loss, "float32")


@pytest.mark.parametrize("variational", [False, True])
def test_dropout_is_for_training_only(variational: bool) -> None:
    model = build(num_layers=2, dropout=0.4, variational_dropout=variational, **DEEP)
    decoder, start = model.decoder, model.encode(SOURCE)
    plain = decoder(INPUTS, *start).outputs
    again = decoder(INPUTS, *start).outputs
    np.testing.assert_array_equal(plain, again)
    dropped = decoder(INPUTS, *start, training=True).outputs
    zeros = dropped.numpy() == 0
    assert 0 < zeros.sum() < zeros.size
    # Before the softmax, the same units at all positions of a sentence or not.
    same = (zeros == zeros[:, :1]).all()
    assert same == variational


def test_tied_embeddings_are_the_softmax() -> None:
    model = build(num_layers=1, deep_output="tanh", tied_embeddings=True)
    outputs = model.decoder(INPUTS, *model.encode(SOURCE)).outputs
    table, bias = model.decoder.embedding.embeddings, model.decoder.projection.bias
    expected = outputs.numpy() @ table.numpy().T + bias.numpy()
    assert_close(model.decoder.logits(outputs), expected, "float32")


def test_configuration_makes_an_equal_layer() -> None:
    decoder = build(num_layers=3, **DEEP).decoder
    copy = AttentionDecoder.from_config(decoder.get_config())
    assert copy.get_config() == decoder.get_config()
    assert copy.upper.num_layers == 2


def test_start_takes_any_encoding() -> None:
    model = build(num_layers=1)
    encoding = model.encoder(SOURCE)
    assert isinstance(encoding, Encoding)
    state, memory = model.decoder.start(encoding)
    np.testing.assert_array_equal(memory.mask, encoding.mask)
    expected = model.decoder.bridge(encoding.state)
    assert_close(state.attention.cell[0].hidden, expected[0].hidden, "float32")
    assert_close(state.attention.alignments, np.zeros((2, 4)), "float32")
