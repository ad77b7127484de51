"""What is served is what the Python interface says."""

import functools

import numpy as np
import pytest
import tensorflow as tf

from nmt.data.vocabulary import EOS_ID
from nmt.decoding import Ensemble, Scorer, SearchOptions, Translator
from nmt.errors import UserError
from nmt.export import ServingModule, ServingOptions
from tests import tiny_models

LINES = [
    "w1 w2 w3",
    "",
    "w4 never w5 w6 w7 w8 w9 w10",
    " \t ",
    "w2",
    "w1 w2 w3",
    "unheard of",
]


@functools.cache
def ensemble(kind: str) -> Ensemble:
    members = []
    if kind != "attention":
        members.append(tiny_models.random_model(4))
    if kind != "lstm":
        settings = {"cell": "gru", "attention": "bahdanau", "attention_size": 8}
        members.append(tiny_models.random_model(5, **settings))
    for member in members:
        bias = member.model.decoder.projection.bias
        bias.assign(bias + 1.5 * tf.one_hot(EOS_ID, bias.shape[0]))
    return Ensemble(members)


@functools.cache
def served(kind: str, replace_unknown: bool = False) -> ServingModule:
    options = ServingOptions(
        n_best=3,
        batch_size=2,
        search=SearchOptions(length_penalty=0.6),
        replace_unknown=replace_unknown,
        max_source_tokens=6,
    )
    both = ensemble(kind)
    return ServingModule(both, options.resolved(both.members[0].config))


@pytest.mark.parametrize(
    ("kind", "replace_unknown"),
    [("lstm", False), ("attention", True), ("both", True), ("both", False)],
)
def test_translations_are_those_of_the_translator(
    kind: str, replace_unknown: bool
) -> None:
    module = served(kind, replace_unknown)
    found = module.translate(tf.constant(LINES))
    several = module.n_best(tf.constant(LINES))
    for n_best in (1, 3):
        options = ServingOptions(
            n_best=n_best,
            batch_size=4,
            search=SearchOptions(length_penalty=0.6),
            replace_unknown=replace_unknown,
            max_source_tokens=6,
        ).resolved(ensemble(kind).members[0].config)
        for row, made in enumerate(
            Translator(ensemble(kind)).translate(LINES, options)
        ):
            texts = [each.text for each in made.n_best]
            log_probs = [each.log_prob for each in made.n_best]
            if n_best == 1:
                assert found["text"][row].numpy().decode() == texts[0]
                assert found["log_prob"][row].numpy() == pytest.approx(
                    log_probs[0], abs=1e-4
                )
                assert bool(found["source_is_cut"][row]) == made.is_cut
                continue
            own = several["texts"][row, : len(texts)].numpy()
            assert [each.decode() for each in own] == texts
            np.testing.assert_allclose(
                several["log_probs"][row, : len(texts)], log_probs, atol=1e-4
            )
            np.testing.assert_allclose(
                several["scores"][row, : len(texts)],
                [each.score for each in made.n_best],
                atol=1e-4,
            )
            assert (several["log_probs"][row, len(texts) :].numpy() == -np.inf).all()
    if replace_unknown:
        assert b"<unk>" not in b"".join(found["text"].numpy())


@pytest.mark.parametrize("kind", ["lstm", "both"])
def test_scores_are_those_of_rescoring(kind: str) -> None:
    targets = ["w1 w2", "", "w4 unheard", "w1", "", "w1 w1 w1 w1 w1 w1 w1", "w3"]
    found = served(kind).score(tf.constant(LINES), tf.constant(targets))
    scorer = Scorer(ensemble(kind))
    expected = [
        scorer.score(line, [target]).log_probs[0, -1]
        for line, target in zip(LINES, targets, strict=True)
    ]
    np.testing.assert_allclose(found["log_prob"], expected, atol=1e-4)
    np.testing.assert_allclose(
        tf.reduce_sum(found["token_log_probs"], axis=1), expected, atol=1e-4
    )
    assert found["length"].numpy().tolist() == [3, 1, 3, 2, 1, 8, 2]


def test_no_lines_at_all() -> None:
    module = served("both")
    nothing = tf.constant([], tf.string)
    assert module.translate(nothing)["text"].shape == [0]
    assert module.n_best(nothing)["texts"].shape == [0, 3]
    assert module.score(nothing, nothing)["log_prob"].shape == [0]
    assert module.encode(nothing)["vector"].shape[0] == 0
    assert module.align(nothing, nothing)["alignments"].shape[0] == 0


def test_bytes_that_are_no_text() -> None:
    found = served("both").translate(tf.constant([b"w1 \xff\xfe w2", b"w1 w2"]))
    assert found["source_length"].numpy().tolist() == [3, 2]
    for text in found["text"].numpy():
        text.decode()


def test_vectors_do_not_depend_on_other_lines() -> None:
    module = served("both")
    vectors = module.encode(tf.constant(LINES))["vector"].numpy()
    # Two layers of LSTMs, h and c, and two of GRUs.
    assert vectors.shape == (len(LINES), 12 * (4 + 2))
    np.testing.assert_allclose(vectors[0], vectors[5], atol=1e-6)
    alone = module.encode(tf.constant(LINES[2:3]))["vector"].numpy()
    np.testing.assert_allclose(vectors[2], alone[0], atol=1e-5)
    assert np.abs(vectors[0] - vectors[2]).max() > 0.1


def test_alignments_are_rows_that_sum_to_one() -> None:
    sources, targets = tf.constant(["w1 w2 w3", "w4"]), tf.constant(["w5", "w6 w7"])
    found = served("attention").align(sources, targets)
    alignments = found["alignments"].numpy()
    assert alignments.shape == (2, 3, 4)
    np.testing.assert_allclose(
        alignments.sum(axis=2), [[1, 1, 0], [1, 1, 1]], atol=1e-5
    )
    assert alignments[1, :, 2:].max() < 1e-6
    assert found["source_tokens"].numpy().tolist() == [
        [b"w1", b"w2", b"w3", b""],
        [b"w4", b"", b"", b""],
    ]
    assert found["target_tokens"].numpy().tolist()[0] == [b"w5", b"", b""]


def test_sources_and_targets_are_as_many() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="as many targets"):
        served("lstm").score(tf.constant(["w1"]), tf.constant(["w1", "w2"]))


@pytest.mark.parametrize(
    "options",
    [
        ServingOptions(replace_unknown=True),
        ServingOptions(search=SearchOptions(coverage_penalty=0.2)),
    ],
)
def test_what_needs_attention_is_refused_without(options: ServingOptions) -> None:
    lstm = ensemble("lstm")
    with pytest.raises(UserError, match="no model has attention"):
        ServingModule(lstm, options.resolved(lstm.members[0].config))


def test_requests_of_other_sizes_trace_nothing() -> None:
    module = served("both")
    for count in (1, 4, 7):
        module.translate(tf.constant(LINES[:count]))
    assert module.translate.experimental_get_tracing_count() == 1
