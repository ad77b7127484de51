"""Beam search over every kind of decoder: its states are nests of many forms."""

import dataclasses
import functools
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from nmt.data.vocabulary import BOS_ID, EOS_ID, PAD_ID
from nmt.decoding.beam_search import beam_search
from nmt.decoding.ensemble import Ensemble
from nmt.decoding.hypotheses import Hypotheses
from nmt.decoding.search_options import SearchOptions
from nmt.decoding.searcher import Searcher, Ways
from nmt.models import Seq2Seq
from nmt.models.run_folder import LoadedModel
from tests import tiny_models
from tests.tolerance import assert_close

# Rows of several lengths, and how long their hypotheses may become.
SOURCE = np.array([[5, 9, 21, 6, 3], [13, 3, 0, 0, 0], [7, 7, 12, 3, 0]], np.int32)
LIMITS = [5, 2, 4]
FORBIDDEN = (PAD_ID, BOS_ID)

sizes = {"attention_size": 8, "output_size": 8}
search: dict[str, Any] = {
    **sizes,
    "attention": "bahdanau",
    "bidirectional": True,
    "deep_output": "maxout",
    "output_state": "previous",
}
luong: dict[str, Any] = {
    **sizes,
    "attention": "luong_general",
    "attention_layer": "top",
    "attention_query": "new",
    "deep_output": "tanh",
    "input_feeding": True,
}
DECODERS: dict[str, dict[str, Any]] = {
    f"{cell}, {layers} layers, {name}": {"cell": cell, "num_layers": layers, **settings}
    for cell in ("lstm", "gru")
    for layers in (1, 3)
    for name, settings in {
        "no attention": {},
        "attention at the bottom": search,
    }.items()
} | {
    "lstm, 2 layers, input feeding": {"cell": "lstm", **luong},
    "gru, 1 layer, last state": {
        "cell": "gru",
        "num_layers": 1,
        **search,
        "attention": "last_state",
    },
}


@functools.cache
def loaded(name: str) -> LoadedModel:
    """Builds a model that often ends its sentences."""
    made = tiny_models.random_model(scale=0.9, **DECODERS[name])
    bias = made.model.decoder.projection.bias
    bias.assign(bias + 3 * tf.one_hot(EOS_ID, bias.shape[0]))
    data = dataclasses.replace(made.config.data, reverse_source=False)
    config = dataclasses.replace(made.config, data=data)
    return dataclasses.replace(made, config=config)


def model_of(name: str) -> Seq2Seq:
    return loaded(name).model


def forced(model: Seq2Seq, found: Hypotheses) -> np.ndarray:
    """Returns log probabilities of all words at all places of what was found."""
    _, beam_size, length = found.ids.shape
    sources = np.repeat(SOURCE, beam_size, axis=0)
    logits = model((sources, tf.reshape(found.ids, [-1, length])))
    return tf.nn.log_softmax(logits).numpy().reshape(*found.ids.shape, -1)


def find(model: Seq2Seq, beam_size: int) -> Hypotheses:
    start = model.encode(SOURCE)
    return beam_search(
        model.step,
        start.state,
        tf.constant(LIMITS),
        beam_size,
        BOS_ID,
        EOS_ID,
        SearchOptions(forbidden_ids=FORBIDDEN),
        memory=start.memory,
    )


@pytest.mark.parametrize("name", DECODERS)
def test_score_is_that_of_forced_decoding(name: str) -> None:
    model = model_of(name)
    found = find(model, 4)
    ids, lengths = found.ids.numpy(), found.lengths.numpy()
    log_probs = forced(model, found)
    words = np.take_along_axis(log_probs, ids[..., np.newaxis], axis=-1)[..., 0]
    places = np.arange(ids.shape[-1]) < lengths[..., np.newaxis]
    assert_close(found.log_probs, (words * places).sum(-1), "float32")
    assert len({tuple(each) for each in ids[0]}) == 4
    assert found.finished.numpy().any()


@pytest.mark.parametrize("name", DECODERS)
def test_beam_of_one_takes_the_likeliest_word(name: str) -> None:
    model = model_of(name)
    found = find(model, 1)
    log_probs = forced(model, found)
    log_probs[..., list(FORBIDDEN)] = -np.inf
    for row, length in enumerate(found.lengths[:, 0]):
        greedy = log_probs[row, 0, :length].argmax(-1)
        assert found.ids[row, 0, :length].numpy().tolist() == greedy.tolist()
        assert length == LIMITS[row] or greedy[-1] == EOS_ID


@pytest.mark.parametrize(
    "name",
    [
        "gru, 3 layers, no attention",
        "lstm, 2 layers, input feeding",
        "gru, 1 layers, attention at the bottom",
    ],
)
def test_search_in_a_graph_finds_the_same(name: str) -> None:
    found = Searcher(Ensemble([loaded(name)])).search(
        tf.constant(SOURCE),
        max_lengths=tf.constant(LIMITS),
        keys=tf.range(3),
        prefix=None,
        ways=Ways(beam_size=4, n_best=4, options=SearchOptions()),
    )
    expected = find(model_of(name), 4)
    np.testing.assert_array_equal(found.ids, expected.ids)
    assert_close(found.log_probs, expected.log_probs, "float32")
