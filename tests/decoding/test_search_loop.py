"""What options make of the search, against lists in float64."""

import functools
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from nmt.decoding.beam_search import beam_search
from nmt.decoding.hypotheses import Hypotheses
from nmt.decoding.search_loop import Attention
from nmt.decoding.search_options import SearchOptions
from tests.decoding.searches import FORBIDDEN, as_list, assert_same, search
from tests.reference import beam_variants
from tests.reference.beam_exhaustive import Hypothesis, NextWord, shrinking_beam
from tests.reference.recurrent_model import BOS_ID, EOS_ID, RecurrentModel
from tests.tolerance import assert_close

LIMITS = [6, 1, 9, 0, 4, 6, 6]
every_form = pytest.mark.parametrize("compact", [True, False])


def make(**options: Any) -> SearchOptions:
    return SearchOptions(forbidden_ids=FORBIDDEN, **options)


def of(model: RecurrentModel, sentence: int) -> NextWord:
    return functools.partial(model.next_word, sentence)


@every_form
@pytest.mark.parametrize("alpha", [0.0, 1.0, None])
def test_keeping_the_finished_ones_ends_early_without_any_loss(
    alpha: float | None, compact: bool
) -> None:
    beam_size = 4
    options = make(keep_finished=True, normalization="mean")
    score: beam_variants.Score = beam_variants.score_mean
    if alpha is not None:
        options = make(keep_finished=True, length_penalty=alpha)
        score = beam_variants.score_wu(alpha)
    for seed, eos_bias in ((1, 1.0), (2, -1.0)):
        model = RecurrentModel(seed, vocabulary_size=8, eos_bias=eos_bias)
        for n_best in (1, beam_size):
            found = search(
                model,
                LIMITS,
                beam_size,
                options=options,
                n_best=n_best,
                compact=compact,
            )
            for sentence, limit in enumerate(LIMITS):
                expected = beam_variants.keeping_beam(
                    of(model, sentence), limit, beam_size, EOS_ID, score, FORBIDDEN
                )
                assert_same(as_list(found, sentence)[:n_best], expected[:n_best])


def test_keeping_the_finished_ones_does_end_early() -> None:
    model = RecurrentModel(seed=1, vocabulary_size=8, eos_bias=3.0)
    steps = []

    def step(ids: tf.Tensor, state: Any) -> tuple[tf.Tensor, Any]:
        steps.append(len(ids))
        return model.step(ids, state)

    def count(n_best: int) -> int:
        steps.clear()
        limits = tf.fill([7], 30)
        options = make(keep_finished=True)
        start = model.state(7)
        beam_search(
            step, start, limits, 4, BOS_ID, EOS_ID, options=options, n_best=n_best
        )
        return len(steps)

    assert count(1) < count(4) < 30


def test_beam_of_one_is_greedy_whatever_is_kept() -> None:
    model = RecurrentModel(seed=5, vocabulary_size=20)
    options = make(keep_finished=True, length_penalty=1.0)
    found, greedy = search(model, LIMITS, 1, options=options), search(model, LIMITS, 1)
    for sentence in range(len(LIMITS)):
        assert_same(as_list(found, sentence), as_list(greedy, sentence))


@every_form
@pytest.mark.parametrize(
    ("groups", "diversity"), [(2, 0.7), (3, 0.2), (6, 5.0), (2, 0.0)]
)
def test_groups_are_those_of_diverse_beam_search(
    groups: int, diversity: float, compact: bool
) -> None:
    model = RecurrentModel(seed=3, vocabulary_size=9, eos_bias=0.5)
    options = make(groups=groups, diversity=diversity)
    found = search(model, LIMITS, 6, options=options, compact=compact)
    for sentence, limit in enumerate(LIMITS):
        expected = beam_variants.diverse_beam(
            of(model, sentence), limit, 6, EOS_ID, groups, diversity, FORBIDDEN
        )
        assert_same(as_list(found, sentence), expected)


def constrained(
    model: RecurrentModel, sentence: int, options: SearchOptions, prefix: list[int]
) -> NextWord:
    """The next words that are allowed; a prefix goes before all."""
    next_word = of(model, sentence)
    if options.no_repeat_ngram_size:
        next_word = beam_variants.without_repeats(
            next_word, options.no_repeat_ngram_size
        )
    next_word = beam_variants.without_early_end(next_word, EOS_ID, options.min_length)
    return beam_variants.with_prefix(next_word, tuple(word for word in prefix if word))


@pytest.mark.parametrize("beam_size", [1, 4])
@pytest.mark.parametrize(
    "options",
    [
        {"min_length": 3},
        {"no_repeat_ngram_size": 1},
        {"no_repeat_ngram_size": 2},
        {"no_repeat_ngram_size": 3, "min_length": 8},
    ],
)
@pytest.mark.parametrize("with_prefix", [False, True])
def test_forbidden_words_do_not_come(
    options: dict[str, int], with_prefix: bool, beam_size: int
) -> None:
    # With few words, repetitions are likely.
    model = RecurrentModel(seed=4, vocabulary_size=6, eos_bias=0.5)
    limits = [12, 1, 9, 0, 4, 12, 12]
    prefix = [[0, 0], [5, 0], [3, 4], [4, 0], [5, 3], [0, 0], [4, 3]]
    if not with_prefix:
        prefix = [[0, 0]] * len(limits)
    found = search(model, limits, beam_size, options=make(**options), prefix=prefix)
    for sentence, limit in enumerate(limits):
        expected = shrinking_beam(
            constrained(model, sentence, make(**options), prefix[sentence]),
            limit,
            beam_size,
            EOS_ID,
            FORBIDDEN,
        )
        assert_same(as_list(found, sentence), expected)


def test_coverage_ranks_what_looked_at_all_words_first() -> None:
    """The words are 1 (the end), 2 and 3; to write word w is to look at place w - 2."""
    logits = tf.math.log([[0.001, 0.4, 0.35, 0.249]])

    def step(ids: tf.Tensor, state: dict[str, tf.Tensor]) -> tuple[tf.Tensor, Any]:
        looked = tf.one_hot(ids - 2, 3) * 0.8
        return tf.repeat(logits, tf.size(ids), axis=0), {"looked": looked}

    def run(beta: float, mask: list[bool]) -> Hypotheses:
        return beam_search(
            step,
            {"looked": tf.zeros([1, 3])},
            tf.constant([3]),
            40,
            bos_id=0,
            eos_id=1,
            options=SearchOptions(coverage_penalty=beta),
            attention=Attention(lambda state: state["looked"], tf.constant([mask])),
        )

    def penalty(words: tuple[int, ...], places: list[int]) -> float:
        # The last word was looked at by no step any more.
        sums = [0.8 * words[:-1].count(place + 2) for place in places]
        return float(np.sum(np.log(np.clip(sums, 1e-9, 1.0))))

    for mask, places in (([True, True, False], [0, 1]), ([True, False, False], [0])):
        for beta in (0.1, 3.0):
            found = run(beta, mask)
            hypotheses = as_list(found, 0)
            coverage = found.coverage[0, : len(hypotheses)].numpy()
            expected = [penalty(words, places) for _, words, _ in hypotheses]
            assert_close(coverage, expected, "float32")
            finished = [
                log_prob + beta * cp
                for (log_prob, _, done), cp in zip(hypotheses, expected, strict=True)
                if done
            ]
            assert finished == sorted(finished, reverse=True)
    assert as_list(run(3.0, [True, True, False]), 0)[0][1] == (2, 3, 1)
    assert as_list(run(0.0, [True, True, False]), 0)[0][1] == (1,)


def test_memory_is_a_row_a_sentence_and_is_not_repeated() -> None:
    limits, beam_size = [4, 2, 6], 3
    seen = []

    def step(
        ids: tf.Tensor, state: tuple[()], memory: dict[str, tf.Tensor]
    ) -> tuple[tf.Tensor, tuple[()]]:
        sentences = len(memory["bias"])
        seen.append((len(ids), sentences))
        return tf.repeat(memory["bias"], len(ids) // sentences, axis=0), state

    bias = tf.constant(np.random.default_rng(0).normal(size=(3, 9)), tf.float32)
    found = beam_search(
        step,
        (),
        tf.constant(limits),
        beam_size,
        BOS_ID,
        EOS_ID,
        options=make(min_length=9),
        memory={"bias": bias},
    )
    assert seen == [(9, 3)] * 2 + [(6, 2)] * 2 + [(3, 1)] * 2
    for sentence, limit in enumerate(limits):
        log_probs = bias[sentence].numpy().astype(float)
        log_probs -= np.logaddexp.reduce(log_probs)
        expected = shrinking_beam(
            beam_variants.without_early_end(lambda _, p=log_probs: p, EOS_ID, 9),
            limit,
            beam_size,
            EOS_ID,
            FORBIDDEN,
        )
        # Orders of the same words are equally likely.
        found_log_probs = [log_prob for log_prob, _, _ in as_list(found, sentence)]
        assert_close(found_log_probs, [each[0] for each in expected], "float32")


def assert_forced(
    model: RecurrentModel, sentence: int, hypotheses: list[Hypothesis]
) -> None:
    """Log probabilities are those that the model gives to the words."""
    for log_prob, words, _ in hypotheses:
        forced = sum(
            model.next_word(sentence, words[:position])[word]
            for position, word in enumerate(words)
        )
        assert_close(log_prob, forced, "float32")


def sampled(model: RecurrentModel, sentences: list[int], **options: Any) -> Any:
    limits = [5 + sentence for sentence in sentences]
    chosen = make(sample=True, **options)
    found = search(model, limits, 8, sentences=sentences, options=chosen)
    return [as_list(found, row) for row in range(len(sentences))]


def test_samples_do_not_depend_on_neighbours() -> None:
    model = RecurrentModel(seed=2, vocabulary_size=12, eos_bias=0.5)
    together = sampled(model, list(range(7)))
    for order in ([3], [6, 0, 5], [1, 2, 4]):
        for row, sentence in enumerate(order):
            assert_same(sampled(model, order)[row], together[sentence])
    assert sampled(model, [3], seed=2)[0] != together[3]


def test_empty_batch_has_no_samples() -> None:
    found = search(RecurrentModel(2, 9), [], 4, sentences=[], options=make(sample=True))
    assert found.ids.shape == (0, 4, 0)


def test_samples_are_distinct_and_have_the_models_log_prob() -> None:
    model = RecurrentModel(seed=2, vocabulary_size=12, eos_bias=2.0)
    found = sampled(model, list(range(7)), temperature=0.7, top_p=0.9)
    assert min(map(len, found)) < 8
    for sentence, hypotheses in enumerate(found):
        assert len({words for _, words, _ in hypotheses}) == len(hypotheses)
        scores = [log_prob for log_prob, _, done in hypotheses if done]
        assert scores == sorted(scores, reverse=True)
        assert_forced(model, sentence, hypotheses)


VARIANTS: dict[str, dict[str, Any]] = {
    "keep_finished": {"keep_finished": True, "length_penalty": 0.6},
    "groups": {"groups": 2},
    "constrained": {"min_length": 2, "no_repeat_ngram_size": 2},
}


def compiled(
    model: RecurrentModel, options: SearchOptions, prefix: list[list[int]]
) -> Hypotheses:
    """The search of three sentences by XLA."""

    @tf.function(jit_compile=True)
    def run(
        state: dict[str, tf.Tensor], limits: tf.Tensor, prefix: tf.Tensor
    ) -> Hypotheses:
        return beam_search(
            model.step,
            state,
            limits,
            4,
            BOS_ID,
            EOS_ID,
            options=options,
            prefix=prefix,
            longest=8,
            compact=False,
        )

    return run(model.state(3), tf.constant([5, 3, 8]), tf.constant(prefix))


@pytest.mark.parametrize("variant", VARIANTS)
def test_static_forms_compile(variant: str) -> None:
    model, options = RecurrentModel(2, vocabulary_size=9), make(**VARIANTS[variant])
    prefix = [[4, 0], [0, 0], [5, 3]]
    found = compiled(model, options, prefix)
    expected = search(model, [5, 3, 8], 4, options=options, prefix=prefix)
    for sentence in range(3):
        assert_same(as_list(found, sentence), as_list(expected, sentence))


def test_static_form_of_sampling_compiles() -> None:
    # XLA has random numbers of its own.
    model, options = RecurrentModel(2, vocabulary_size=9), make(sample=True, top_k=5)
    found = compiled(model, options, [[0], [0], [0]])
    for sentence in range(3):
        hypotheses = as_list(found, sentence)
        assert len(hypotheses) > 1
        assert_forced(model, sentence, hypotheses)
