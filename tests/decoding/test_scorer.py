"""What prefixes share changes no score."""

import dataclasses
import functools
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from nmt.data.pipeline import source_batch
from nmt.data.vocabulary import EOS_ID
from nmt.decoding.ensemble import Ensemble
from nmt.decoding.scorer import Scorer
from nmt.decoding.translation_options import TranslationOptions
from nmt.decoding.translator import Translator
from nmt.errors import UserError
from nmt.models.run_folder import LoadedModel
from tests import tiny_models

ARCHITECTURES: dict[str, dict[str, Any]] = {
    "reversed lstm": {"cell": "lstm"},
    "gru that attends": {
        "cell": "gru",
        "bidirectional": True,
        "attention": "bahdanau",
        "attention_size": 8,
    },
    "gru told the last state": {"cell": "gru", "attention": "last_state"},
}
ENSEMBLES = {
    **{name: (name,) for name in ARCHITECTURES},
    "two": ("reversed lstm", "gru that attends"),
}
SOURCE = "w3 w4 w20 never w7"
# Empty, one word, equal ones, unknown words, and what others begin with.
HYPOTHESES = [
    "w1 w2 w3",
    "",
    "w1",
    "w1 w2 unheard of w4 w4 w4 w4 w4",
    "w1 w2 w3",
    "w5 w2",
    "w1 w2",
]


@functools.cache
def member(name: str) -> LoadedModel:
    seed = 20 + list(ARCHITECTURES).index(name)
    loaded = tiny_models.random_model(seed, scale=0.8, **ARCHITECTURES[name])
    bias = loaded.model.decoder.projection.bias
    bias.assign(bias + 1.5 * tf.one_hot(EOS_ID, bias.shape[0]))
    data = dataclasses.replace(
        loaded.config.data, reverse_source=name.startswith("reversed")
    )
    config = dataclasses.replace(loaded.config, data=data)
    return dataclasses.replace(loaded, config=config)


@functools.cache
def ensemble_of(names: tuple[str, ...], combination: str) -> Ensemble:
    weights = np.arange(1.0, 1 + len(names)).tolist()
    return Ensemble([member(name) for name in names], weights, combination)


@functools.cache
def scorer_of(names: tuple[str, ...], combination: str = "probabilities") -> Scorer:
    return Scorer(ensemble_of(names, combination))


def forced(ensemble: Ensemble, source: str, hypotheses: list[str]) -> np.ndarray:
    """Scores a batch in which nothing is shared: the source is there for each."""
    first = ensemble.members[0]
    ids = first.source_codec.encode(tf.constant([source] * len(hypotheses)))
    words = first.target_codec.encode(tf.constant(hypotheses))
    ends = tf.fill([len(hypotheses), 1], EOS_ID)
    target = tf.concat([words, ends], axis=1).to_tensor()
    found = ensemble.forced_decoding(source_batch(ids, reverse=False), target)
    return tf.reduce_sum(found.log_probs, axis=1).numpy()


@pytest.mark.parametrize(
    ("kind", "combination"),
    [*((kind, "probabilities") for kind in ENSEMBLES), ("two", "log_linear")],
)
def test_scores_are_those_of_forced_decoding(kind: str, combination: str) -> None:
    names = ENSEMBLES[kind]
    found = scorer_of(names, combination).score(SOURCE, HYPOTHESES)
    columns = [ensemble_of((name,), "probabilities") for name in names]
    if len(names) > 1:
        columns.append(ensemble_of(names, combination))
    expected = [forced(each, SOURCE, HYPOTHESES) for each in columns]
    np.testing.assert_allclose(found.log_probs.T, expected, rtol=0, atol=1e-4)
    assert np.ptp(found.log_probs, axis=0).min() > 1
    assert found.unknown_words.tolist() == [0, 0, 0, 2, 0, 0, 0]
    assert found.words == 27
    # The root, and the prefixes w1, w1 w2, w1 w2 w3, of the long one, w5 and w5 w2.
    assert found.steps == 13


@pytest.mark.parametrize("kind", ["reversed lstm", "two"])
def test_scores_are_what_the_search_prints(kind: str) -> None:
    names = ENSEMBLES[kind]
    ensemble = ensemble_of(names, "probabilities")
    lines = [SOURCE, "", "w9", "w1 w1 w1 w1 w2 w2"]
    options = TranslationOptions(beam_size=5, n_best=5)
    compared = 0
    for line, made in zip(
        lines, Translator(ensemble).translate(lines, options), strict=True
    ):
        # One that was cut at the length limit has no end of sentence in its sum, and
        # the text `<unk>` that the model wrote is a word that it does not know.
        done = [each for each in made.n_best if each.finished]
        if not done:
            continue
        found = scorer_of(names).score(line, [each.text for each in done])
        expected = [each.log_prob for each in done]
        np.testing.assert_allclose(found.log_probs[:, -1], expected, rtol=0, atol=1e-4)
        compared += len(done)
    assert compared > 5


@pytest.mark.parametrize("count", [1, 300])
def test_lists_of_any_length(count: int) -> None:
    random = np.random.default_rng(count)
    hypotheses = [
        " ".join(f"w{word}" for word in random.integers(0, 6, random.integers(0, 9)))
        for _ in range(count)
    ]
    scorer = scorer_of(ENSEMBLES["two"])
    found = scorer.score(SOURCE, hypotheses)
    chosen = list(range(0, count, 60))
    one_by_one = forced(
        ensemble_of(ENSEMBLES["two"], "probabilities"),
        SOURCE,
        [hypotheses[place] for place in chosen],
    )
    np.testing.assert_allclose(
        found.log_probs[chosen, -1], one_by_one, rtol=0, atol=1e-4
    )
    assert found.steps <= found.words


@pytest.mark.parametrize("max_rows", [1, 3, 50])
def test_lists_in_parts(max_rows: int) -> None:
    ensemble = ensemble_of(ENSEMBLES["two"], "probabilities")
    random = np.random.default_rng(5)
    hypotheses = [
        " ".join(f"w{word}" for word in random.integers(0, 6, random.integers(0, 5)))
        for _ in range(40)
    ]
    whole = scorer_of(ENSEMBLES["two"]).score(SOURCE, hypotheses)
    parts = Scorer(ensemble, max_rows)
    widths = [tree.widest for _, tree in parts._trees(ids(hypotheses), [*range(40)])]
    assert max(widths) <= max_rows
    found = parts.score(SOURCE, hypotheses)
    np.testing.assert_allclose(found.log_probs, whole.log_probs, rtol=0, atol=1e-4)
    assert found.steps >= whole.steps


def ids(hypotheses: list[str]) -> list[list[int]]:
    codec = member("reversed lstm").target_codec
    return codec.encode(tf.constant(hypotheses)).to_list()


def test_the_graph_is_made_once() -> None:
    scorer = Scorer(ensemble_of(("gru that attends",), "probabilities"))
    for source, hypotheses in [("w1", ["w2"]), (SOURCE, HYPOTHESES), ("", [""])]:
        scorer.score(source, hypotheses)
    assert scorer._edges.experimental_get_tracing_count() == 1


def test_order_of_the_list_changes_nothing() -> None:
    scorer = scorer_of(("gru that attends",))
    forwards = scorer.score(SOURCE, HYPOTHESES).log_probs
    backwards = scorer.score(SOURCE, HYPOTHESES[::-1]).log_probs
    np.testing.assert_array_equal(forwards, backwards[::-1])


def test_blank_source_has_the_empty_hypothesis_for_certain() -> None:
    found = scorer_of(ENSEMBLES["two"]).score(" ", ["w1", "", " "]).log_probs
    assert (found[1:] == 0).all()
    assert (found[0] < 0).all()


def test_diverged_models_are_named_by_what_they_score() -> None:
    loaded = tiny_models.random_model()
    weights = [np.full_like(each, np.nan) for each in loaded.model.get_weights()]
    loaded.model.set_weights(weights)
    with pytest.raises(UserError, match="no finite probabilities for 'w1 w2'"):
        Scorer(Ensemble([loaded])).score("w1 w2", ["w1"])


@pytest.mark.parametrize("kind", ENSEMBLES)
@pytest.mark.parametrize("max_rows", [None, 4])
def test_lists_together_have_the_scores_of_each_alone(
    kind: str, max_rows: int | None
) -> None:
    random = np.random.default_rng(8)
    sources = [SOURCE, "", "w9", "w1 w1 w1 w1 w2 w2", "w3 w3", "w7 w8"]
    lists = [
        [
            " ".join(f"w{word}" for word in random.integers(0, 5, length))
            for length in random.integers(0, 7, count)
        ]
        for count in (3, 2, 9, 1, 4, 2)
    ]
    names = ENSEMBLES[kind]
    together = Scorer(ensemble_of(names, "probabilities"), max_rows)
    found = together.score_lists(sources, lists)
    for source, hypotheses, scores in zip(sources, lists, found, strict=True):
        alone = scorer_of(names).score(source, hypotheses)
        np.testing.assert_allclose(scores.log_probs, alone.log_probs, rtol=0, atol=1e-4)
        assert scores.words == alone.words
        assert scores.unknown_words.tolist() == alone.unknown_words.tolist()


def test_short_lists_make_their_steps_together() -> None:
    scorer = scorer_of(("gru that attends",))
    codec = member("reversed lstm").target_codec
    lists = [codec.encode(tf.constant(each)).to_list() for each in [["w1"]] * 300]
    batches = [*scorer._batches(lists, np.arange(300) % 7)]
    assert [len(batch) for batch in batches] == [256, 44]
