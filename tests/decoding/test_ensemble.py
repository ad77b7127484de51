"""Models of several architectures as one: in a search and in forced decoding."""

import dataclasses
import functools
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from nmt.data.vocabulary import BOS_ID, EOS_ID, PAD_ID
from nmt.decoding.beam_search import beam_search
from nmt.decoding.combination import COMBINATIONS
from nmt.decoding.ensemble import Ensemble
from nmt.decoding.hypotheses import Hypotheses
from nmt.decoding.search_options import SearchOptions
from nmt.errors import UserError
from nmt.models.run_folder import LoadedModel
from nmt.models.seq2seq import shift_right
from tests import tiny_models
from tests.tolerance import assert_close

# In the order of the text; how long their hypotheses may become.
SOURCE = np.array([[5, 9, 21, 6, 3], [13, 3, 0, 0, 0], [7, 7, 12, 3, 0]], np.int32)
LIMITS = [5, 2, 4]
# The second target is cut: it has no end of sentence.
TARGET = np.array([[6, 9, 8, 3], [7, 11, 0, 0], [3, 0, 0, 0]], np.int32)

attending: dict[str, Any] = {"attention": "bahdanau", "attention_size": 8}
ARCHITECTURES: dict[str, dict[str, Any]] = {
    "lstm": {"cell": "lstm"},
    "gru that attends": {"cell": "gru", "bidirectional": True, **attending},
    "lstm that attends": {
        "cell": "lstm",
        "attention": "luong_general",
        "attention_layer": "top",
        "attention_query": "new",
        "deep_output": "tanh",
        "output_size": 8,
        "input_feeding": True,
    },
    "gru told the last state": {"cell": "gru", "attention": "last_state"},
}
# Those that read the source last word to first.
REVERSED = {"lstm", "lstm that attends"}
ENSEMBLES = {
    **{name: (name,) for name in ARCHITECTURES},
    "two": ("lstm", "gru that attends"),
    "all": tuple(ARCHITECTURES),
}


@functools.cache
def member(name: str) -> LoadedModel:
    """Builds a model that ends some of its sentences."""
    seed = 10 + list(ARCHITECTURES).index(name)
    loaded = tiny_models.random_model(seed, scale=0.9, **ARCHITECTURES[name])
    bias = loaded.model.decoder.projection.bias
    bias.assign(bias + 0.5 * tf.one_hot(EOS_ID, bias.shape[0]))
    data = dataclasses.replace(loaded.config.data, reverse_source=name in REVERSED)
    config = dataclasses.replace(loaded.config, data=data)
    return dataclasses.replace(loaded, config=config)


def ensemble_of(names: tuple[str, ...], *options: Any) -> Ensemble:
    return Ensemble([member(name) for name in names], *options)


def turned(ids: np.ndarray) -> np.ndarray:
    """Reverses the words of each row, in plain Python."""
    rows = []
    for row in ids.tolist():
        words = [word for word in row if word > EOS_ID]
        rows.append(words[::-1] + row[len(words) :])
    return np.array(rows)


def find(ensemble: Ensemble, beam_size: int = 5) -> Hypotheses:
    start = ensemble.encode(tf.constant(SOURCE))
    return beam_search(
        ensemble.step,
        start.state,
        tf.constant(LIMITS),
        beam_size,
        BOS_ID,
        EOS_ID,
        SearchOptions(forbidden_ids=(PAD_ID, BOS_ID)),
        memory=start.memory,
    )


def softmax(name: str, target: np.ndarray = TARGET) -> np.ndarray:
    """Returns p_m at all positions in float64, `[batch, target_len, vocabulary]`."""
    source = turned(SOURCE) if name in REVERSED else SOURCE
    logits = np.array(member(name).model((source, target)), float)
    values = np.exp(logits - logits.max(-1, keepdims=True))
    return values / values.sum(-1, keepdims=True)


def steps(ensemble: Ensemble) -> np.ndarray:
    """Returns the probabilities of all steps, `[batch, target_len, vocabulary]`."""
    made = []
    state, memory = ensemble.encode(tf.constant(SOURCE))
    for ids in tf.unstack(shift_right(tf.constant(TARGET)), axis=1):
        logits, state = ensemble.step(ids, state, memory)
        assert logits.dtype == tf.float32
        made.append(np.exp(logits))
    return np.stack(made, axis=1)


def words_of(probabilities: np.ndarray) -> np.ndarray:
    """Returns log p of the target's words, zero at padding."""
    found = np.take_along_axis(probabilities, TARGET[..., np.newaxis], -1)[..., 0]
    return np.where(TARGET != PAD_ID, np.log(found), 0.0)


@pytest.mark.parametrize("combination", COMBINATIONS)
@pytest.mark.parametrize("names", ENSEMBLES.values(), ids=ENSEMBLES)
def test_score_of_the_search_is_that_of_forced_decoding(
    names: tuple[str, ...], combination: str
) -> None:
    weights = np.arange(1.0, 1 + len(names)).tolist()
    ensemble = ensemble_of(names, weights, combination)
    found = find(ensemble)
    _, beam_size, length = found.ids.shape
    source = tf.repeat(tf.constant(SOURCE), beam_size, axis=0)
    forced = ensemble.forced_decoding(source, tf.reshape(found.ids, [-1, length]))
    sums = tf.reshape(tf.reduce_sum(forced.log_probs, axis=1), [-1, beam_size]).numpy()
    filled = found.log_probs.numpy() > -np.inf
    np.testing.assert_allclose(sums[filled], found.log_probs[filled], rtol=0, atol=1e-4)
    finished = found.finished.numpy()[filled]
    assert finished.any()
    assert not finished.all()
    assert filled[0].all()


@pytest.mark.parametrize("weights", [None, [3.0, 1.0]])
def test_mean_of_the_models_probabilities(weights: list[float] | None) -> None:
    names = ENSEMBLES["two"]
    ensemble = ensemble_of(names, weights)
    one, other = (softmax(name) for name in names)
    share = 0.5 if weights is None else 0.75
    expected, words = share * one + (1 - share) * other, TARGET != PAD_ID
    assert np.abs(one - other)[words].max() > 0.1
    found = steps(ensemble)
    assert_close(found[words], expected[words], "float32")
    assert_close(found.sum(-1), np.ones(TARGET.shape), "float32")
    forced = ensemble.forced_decoding(tf.constant(SOURCE), tf.constant(TARGET))
    assert_close(forced.log_probs, words_of(expected), "float32")


def test_geometric_mean_of_the_models_probabilities() -> None:
    names = ENSEMBLES["two"]
    ensemble = ensemble_of(names, None, "log_linear")
    one, other = (softmax(name) for name in names)
    expected, words = np.sqrt(one * other), TARGET != PAD_ID
    expected /= expected.sum(-1, keepdims=True)
    found = steps(ensemble)
    assert_close(found[words], expected[words], "float32")
    assert_close(found.sum(-1), np.ones(TARGET.shape), "float32")
    forced = ensemble.forced_decoding(tf.constant(SOURCE), tf.constant(TARGET))
    assert_close(forced.log_probs, words_of(expected), "float32")


@pytest.mark.parametrize("combination", COMBINATIONS)
def test_equal_models_are_one(combination: str) -> None:
    name = "gru that attends"
    one, two = ensemble_of((name,)), ensemble_of((name, name), [0.9, 0.1], combination)
    assert_close(find(two).log_probs, find(one).log_probs, "float32")
    np.testing.assert_array_equal(find(two).ids, find(one).ids)
    given = tf.constant(SOURCE), tf.constant(TARGET)
    for both in zip(
        two.forced_decoding(*given), one.forced_decoding(*given), strict=True
    ):
        assert_close(*both, "float32")


def test_logits_of_one_model_go_straight_through() -> None:
    loaded = member("lstm that attends")
    start = Ensemble([loaded]).encode(tf.constant(SOURCE))
    ids = tf.fill([3], BOS_ID)
    logits, (state,) = Ensemble([loaded]).step(ids, *start)
    expected, after = loaded.model.step(ids, *loaded.model.encode(turned(SOURCE)))
    np.testing.assert_array_equal(logits, expected)
    tf.nest.map_structure(np.testing.assert_array_equal, state, after)


def test_each_model_reads_once_and_in_its_own_direction() -> None:
    forwards, backwards = tiny_models.copy_model(), tiny_models.copy_model()
    data = dataclasses.replace(backwards.config.data, reverse_source=True)
    config = dataclasses.replace(backwards.config, data=data)
    backwards = dataclasses.replace(backwards, config=config)
    ensemble = Ensemble([forwards, backwards])
    start = ensemble.encode(tf.constant(SOURCE))
    np.testing.assert_array_equal(start.memory, [SOURCE, turned(SOURCE)])
    ensemble.step(tf.fill([3], BOS_ID), *start)
    assert [each.model.traces for each in ensemble.members] == [1, 1]


@pytest.mark.parametrize(
    "names",
    [
        ("gru that attends",),
        ("lstm that attends",),
        ("lstm that attends", "lstm", "gru that attends", "gru told the last state"),
    ],
)
def test_alignments_are_in_the_order_of_the_text(names: tuple[str, ...]) -> None:
    found = ensemble_of(names).forced_decoding(SOURCE, tf.constant(TARGET)).alignments
    expected = []
    for name in names:
        is_turned, model = name in REVERSED, member(name).model
        read = turned(SOURCE) if is_turned else SOURCE
        _, each = model.logits_and_alignments(read, TARGET)
        if each is None:
            continue
        each = each.numpy()
        for row, ids in zip(each, SOURCE, strict=True):
            words = (ids > EOS_ID).sum()
            if is_turned:
                row[:, :words] = row[:, :words][:, ::-1].copy()
        expected.append(each)
    words = TARGET != PAD_ID
    mean = np.mean(expected, axis=0) * words[..., np.newaxis]
    assert_close(found, mean, "float32")
    assert_close(tf.reduce_sum(found, axis=-1), words, "float32")
    assert not found.numpy().transpose(0, 2, 1)[SOURCE == PAD_ID].any()


def test_models_that_do_not_attend_have_no_alignments() -> None:
    ensemble = ensemble_of(("lstm", "gru told the last state"))
    assert ensemble.forced_decoding(SOURCE, tf.constant(TARGET)).alignments is None


@pytest.mark.parametrize("combination", COMBINATIONS)
def test_neither_padding_nor_what_follows_changes_forced_decoding(
    combination: str,
) -> None:
    ensemble = ensemble_of(ENSEMBLES["all"], None, combination)
    decode = tf.function(
        ensemble.forced_decoding,
        input_signature=[tf.TensorSpec([None, None], tf.int32)] * 2,
    )
    expected = ensemble.forced_decoding(tf.constant(SOURCE), tf.constant(TARGET))
    padded = decode(np.pad(SOURCE, [(0, 0), (0, 2)]), np.pad(TARGET, [(0, 0), (0, 3)]))
    assert_close(padded.log_probs[:, :4], expected.log_probs, "float32")
    assert not padded.log_probs.numpy()[:, 4:].any()
    assert_close(padded.alignments[:, :4, :5], expected.alignments, "float32")
    cut = decode(SOURCE, TARGET[:, :2])
    assert_close(cut.log_probs, expected.log_probs[:, :2], "float32")
    assert decode(SOURCE[:0], TARGET[:0]).log_probs.shape == (0, 4)


def test_models_with_other_words_are_refused() -> None:
    loaded = member("lstm")
    other = dataclasses.replace(loaded, target_codec=tiny_models.codec(["yes", "no"]))
    with pytest.raises(UserError, match=r"runs/a and runs/b .* target .* row 5"):
        Ensemble([loaded, other], names=["runs/a", "runs/b"])
    with pytest.raises(UserError, match=r"model 1 and model 2 .* row 5"):
        Ensemble([loaded, other])


@pytest.mark.parametrize(
    ("count", "options", "message"),
    [
        (0, {}, "at least one model"),
        (2, {"weights": [1.0]}, "got 1 for 2 models"),
        (1, {"combination": "vote"}, "'vote': choose probabilities or log_linear"),
    ],
)
def test_arguments_that_make_no_sense(
    count: int, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(UserError, match=message):
        Ensemble([member("lstm")] * count, **options)
