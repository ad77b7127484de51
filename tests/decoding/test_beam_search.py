"""The search against lists in float64 and against all sequences there are."""

import functools

import numpy as np
import pytest
import tensorflow as tf

from nmt.decoding.beam_search import beam_search
from nmt.decoding.hypotheses import Hypotheses
from nmt.errors import UserError
from tests.decoding.searches import FORBIDDEN, PAPERS, as_list, assert_same, search
from tests.reference.beam_exhaustive import exhaustive, shrinking_beam
from tests.reference.recurrent_model import BOS_ID, EOS_ID, RecurrentModel
from tests.tolerance import assert_close


@pytest.mark.parametrize("seed", range(3))
def test_widest_beam_finds_every_sequence(seed: int) -> None:
    vocabulary_size, max_length = 5, 4
    model = RecurrentModel(seed, vocabulary_size)
    found = search(model, [max_length] * 2, vocabulary_size**max_length)
    for sentence in range(2):
        expected = exhaustive(
            functools.partial(model.next_word, sentence), max_length, EOS_ID, FORBIDDEN
        )
        # Three words, one of which ends: 1 + 2 + 4 + 8 finished and 16 unfinished.
        assert len(expected) == 31
        assert_same(as_list(found, sentence), expected)


@pytest.mark.parametrize("beam_size", [1, 2, 7])
@pytest.mark.parametrize("compact", [True, False])
def test_search_is_that_of_the_papers(beam_size: int, compact: bool) -> None:
    limits = [6, 1, 9, 0, 4, 6, 6]
    unfinished = 0
    for seed, eos_bias in ((0, 0.0), (1, 2.0)):
        model = RecurrentModel(seed, vocabulary_size=6, eos_bias=eos_bias)
        found = search(model, limits, beam_size, compact=compact)
        for sentence, limit in enumerate(limits):
            expected = shrinking_beam(
                functools.partial(model.next_word, sentence),
                limit,
                beam_size,
                EOS_ID,
                FORBIDDEN,
            )
            assert_same(as_list(found, sentence), expected)
            unfinished += sum(not done for _, _, done in expected)
    assert unfinished > 0


def test_beam_of_one_is_greedy() -> None:
    model = RecurrentModel(seed=5, vocabulary_size=20)
    found = search(model, [10] * 7, beam_size=1)
    for sentence in range(7):
        words: tuple[int, ...] = ()
        while len(words) < 10 and EOS_ID not in words:
            log_probs = model.next_word(sentence, words)
            log_probs[list(FORBIDDEN)] = -np.inf
            words += (int(np.argmax(log_probs)),)
        assert as_list(found, sentence)[0][1] == words


def test_neighbours_and_their_limits_change_nothing() -> None:
    # Without an end of sentence, only the limit of the sentence itself can stop it.
    model = RecurrentModel(seed=1, vocabulary_size=9, eos_bias=-30.0)
    limits = [3, 9, 1, 7, 9, 5, 2]
    together = search(model, limits, beam_size=3)
    for sentence, limit in enumerate(limits):
        alone = search(model, [limit], beam_size=3, sentences=[sentence])
        assert_same(as_list(together, sentence), as_list(alone, 0))
        assert max(len(words) for _, words, _ in as_list(alone, 0)) == limit
    order = [4, 2, 6, 0, 1, 5, 3]
    permuted = search(model, [limits[i] for i in order], 3, sentences=order)
    for row, sentence in enumerate(order):
        assert_same(as_list(permuted, row), as_list(together, sentence))


def test_log_prob_is_that_of_forced_decoding() -> None:
    model = RecurrentModel(seed=3, vocabulary_size=30, eos_bias=1.0)
    found = search(model, [8] * 7, beam_size=12)
    for sentence in range(7):
        hypotheses = as_list(found, sentence)
        assert len({words for _, words, _ in hypotheses}) == len(hypotheses) == 12
        for log_prob, words, finished in hypotheses:
            forced = sum(
                model.next_word(sentence, words[:position])[word]
                for position, word in enumerate(words)
            )
            assert_close(log_prob, forced, "float32")
            assert finished == (words[-1] == EOS_ID)


def test_only_running_sentences_are_stepped() -> None:
    model = RecurrentModel(seed=1, vocabulary_size=9, eos_bias=-30.0)
    rows = []

    def step(
        ids: tf.Tensor, state: dict[str, tf.Tensor]
    ) -> tuple[tf.Tensor, dict[str, tf.Tensor]]:
        rows.append(len(ids))
        return model.step(ids, state)

    limits = tf.constant([4, 2, 2])
    for compact in (True, False):
        beam_search(step, model.state(3), limits, 2, BOS_ID, EOS_ID, compact=compact)
    assert rows == [6, 6, 2, 2, 6, 6, 6, 6]


def test_static_form_compiles() -> None:
    model = RecurrentModel(seed=2, vocabulary_size=6)

    @tf.function(jit_compile=True)
    def compiled(state: dict[str, tf.Tensor]) -> Hypotheses:
        limits = tf.constant([5, 3])
        return beam_search(
            model.step,
            state,
            limits,
            3,
            BOS_ID,
            EOS_ID,
            PAPERS,
            compact=False,
        )

    found, expected = compiled(model.state(2)), search(model, [5, 3], 3)
    for sentence in range(2):
        assert_same(as_list(found, sentence), as_list(expected, sentence))


def test_half_precision_logits_are_summed_in_float32() -> None:
    logits = tf.constant([[1.0, 2.0, 0.5, 3.0]], tf.bfloat16)

    def step(ids: tf.Tensor, state: tuple[()]) -> tuple[tf.Tensor, tuple[()]]:
        return tf.repeat(logits, tf.size(ids), axis=0), state

    found = beam_search(step, (), tf.constant([30]), 1, BOS_ID, EOS_ID)
    log_prob = 3.0 - np.logaddexp.reduce([1.0, 2.0, 0.5, 3.0])
    assert found.log_probs.numpy() == pytest.approx(30 * log_prob, rel=1e-5)


def test_model_without_finite_probabilities_finds_nothing() -> None:
    def step(ids: tf.Tensor, state: tuple[()]) -> tuple[tf.Tensor, tuple[()]]:
        return tf.fill([tf.size(ids), 4], float("nan")), state

    found = beam_search(step, (), tf.constant([5]), 2, BOS_ID, EOS_ID)
    assert as_list(found, 0) == []


def test_integers_may_be_of_any_size() -> None:
    model = RecurrentModel(seed=2, vocabulary_size=6)
    found, expected = (
        beam_search(
            model.step,
            model.state(2),
            tf.constant([4, 5], dtype),
            3,
            BOS_ID,
            EOS_ID,
            prefix=np.array([[3], [4]], dtype),
        )
        for dtype in ("int64", "int32")
    )
    assert as_list(found, 1) == as_list(expected, 1)


def test_lists_of_nothing_are_refused() -> None:
    model = RecurrentModel(seed=2, vocabulary_size=6)
    with pytest.raises(UserError, match="n_best 0: must be at least 1"):
        beam_search(
            model.step, model.state(1), tf.constant([4]), 3, BOS_ID, EOS_ID, n_best=0
        )


def test_empty_batch() -> None:
    model = RecurrentModel(seed=2, vocabulary_size=6)
    found = search(model, [], beam_size=2, sentences=[])
    assert found.ids.shape == (0, 2, 0)
