"""Searches and scores with logits in slices are those with whole ones."""

import dataclasses
import functools
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from nmt.data.vocabulary import EOS_ID
from nmt.decoding import SearchOptions, next_words, search_loop
from nmt.decoding import ensemble as ensemble_module
from nmt.decoding.combination import COMBINATIONS
from nmt.decoding.ensemble import Ensemble
from nmt.decoding.scorer import Scorer
from nmt.decoding.searcher import Searcher, Ways
from nmt.distribution import Placement
from nmt.layers import join_shards
from nmt.models.build import build_model
from nmt.models.run_folder import LoadedModel
from nmt.models.whole_weights import by_whole_path
from tests import tiny_models
from tests.tolerance import assert_close

SOURCE = np.array([[5, 9, 21, 6, 3], [13, 3, 0, 0, 0], [7, 7, 12, 3, 0]], np.int32)
LIMITS = np.array([5, 2, 6], np.int32)
TARGET = np.array([[6, 23, 8, 3], [7, 11, 0, 0], [3, 0, 0, 0]], np.int32)
PREFIX = np.array([[20, 0], [0, 0], [4, 23]], np.int32)
ARCHITECTURES: dict[str, dict[str, Any]] = {
    "lstm": {},
    "tied": {
        "attention": "luong_general",
        "attention_layer": "top",
        "attention_query": "new",
        "deep_output": "tanh",
        "output_size": 8,
        "tied_embeddings": True,
    },
}
# Beam, options and whether there are prefixes, of searches that put no slices together.
WAYS: dict[str, tuple[int, dict[str, Any], bool]] = {
    "greedy": (1, {}, False),
    "beam": (4, {"forbidden_ids": (7, 23), "min_length": 2}, False),
    "n-grams and prefixes": (
        3,
        {"keep_finished": True, "length_penalty": 0.6, "no_repeat_ngram_size": 2},
        True,
    ),
    "samples": (3, {"sample": True, "top_k": 5, "top_p": 0.9}, False),
}
GROUPS = (4, {"groups": 2}, False)


@functools.cache
def member(name: str, shards: int) -> LoadedModel:
    """Returns a model with 24 target words, in so many slices."""
    seed = 10 + list(ARCHITECTURES).index(name)
    dense = tiny_models.random_model(seed, scale=0.9, **ARCHITECTURES[name])
    bias = dense.model.decoder.projection.bias
    bias.assign(bias + 0.5 * tf.one_hot(EOS_ID, bias.shape[0]))
    if shards == 1:
        return dense
    codecs = dense.source_codec, dense.target_codec
    sizes = [codec.vocabulary_size for codec in codecs]
    placement = Placement((0, 0), (0,) * shards)
    model = build_model(dense.config.model, *sizes, placement)
    weights = by_whole_path(dense.model.weights)
    for path, weight in by_whole_path(model.weights).items():
        weight.assign(weights[path].numpy())
    return dataclasses.replace(dense, model=model)


def ensemble_of(*members: tuple[str, int], combination: str = "log_linear") -> Ensemble:
    return Ensemble([member(*each) for each in members], combination=combination)


def found_by(ensemble: Ensemble, way: tuple[int, dict[str, Any], bool]) -> Any:
    beam_size, options, has_prefix = way
    return Searcher(ensemble).search(
        tf.constant(SOURCE),
        tf.constant(LIMITS),
        tf.constant([1, 2, 3]),
        tf.constant(PREFIX) if has_prefix else None,
        Ways(beam_size, beam_size, SearchOptions(**options)),
    )


def assert_same_search(way: tuple[int, dict[str, Any], bool]) -> None:
    found, expected = (
        found_by(ensemble_of(("lstm", shards)), way) for shards in (5, 1)
    )
    np.testing.assert_array_equal(found.ids, expected.ids)
    np.testing.assert_array_equal(found.finished, expected.finished)
    # -inf where there is none.
    both = [np.maximum(each.log_probs, -1e6) for each in (found, expected)]
    np.testing.assert_allclose(*both, rtol=1e-5)


@pytest.fixture
def apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fails where slices are put together."""

    def refuse(logits: Any) -> tf.Tensor:
        assert not isinstance(logits, tuple)
        return logits

    for module in (next_words, search_loop, ensemble_module):
        monkeypatch.setattr(module, "join_shards", refuse)


@pytest.mark.usefixtures("apart")
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_searches_are_those_of_whole_logits(
    way: tuple[int, dict[str, Any], bool],
) -> None:
    assert_same_search(way)


def test_groups_put_slices_together() -> None:
    assert_same_search(GROUPS)


@pytest.mark.parametrize("combination", COMBINATIONS)
@pytest.mark.parametrize(
    ("shards", "slices"), [((5, 5), 5), ((5, 7), None), ((1, 5), None)]
)
def test_ensembles_are_those_of_whole_models(
    shards: tuple[int, int], slices: int | None, combination: str
) -> None:
    one = ensemble_of(("lstm", shards[0]), ("tied", shards[1]), combination=combination)
    other = ensemble_of(("lstm", 1), ("tied", 1), combination=combination)
    steps = [
        each.step(tf.constant([2, 9, 23]), *each.encode(tf.constant(SOURCE)))[0]
        for each in (one, other)
    ]
    # Cut differently, they are put together.
    assert (len(steps[0]) if isinstance(steps[0], tuple) else None) == slices
    assert_close(join_shards(steps[0]), steps[1], "float32")
    forced = [
        each.forced_decoding(tf.constant(SOURCE), tf.constant(TARGET)).log_probs
        for each in (one, other)
    ]
    assert_close(*forced, "float32")


@pytest.mark.usefixtures("apart")
def test_scores_are_those_of_whole_logits() -> None:
    hypotheses = ["w1 w2 w3", "", "w19 w2", "w1 never"]
    both = [ensemble_of(("tied", shards)) for shards in (5, 1)]
    scores = [Scorer(each).score("w3 w4 w20", hypotheses) for each in both]
    assert_close(scores[0].log_probs, scores[1].log_probs, "float32")
    forced = [
        each.forced_decoding(tf.constant(SOURCE), tf.constant(TARGET)).log_probs
        for each in both
    ]
    assert_close(*forced, "float32")
