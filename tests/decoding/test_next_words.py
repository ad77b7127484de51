"""Forbidden, best and drawn words against lists in float64."""

import numpy as np
import pytest
import tensorflow as tf

from nmt.decoding.extension import NextWords
from nmt.decoding.hypotheses import Hypotheses
from nmt.decoding.next_words import (
    best_allowed_words,
    best_words,
    forbid,
    repeats_ngram,
    sampled_words,
    uniform_numbers,
)
from nmt.decoding.search_options import SearchOptions
from tests.decoding.test_hypotheses import make
from tests.reference.beam_variants import draw
from tests.tolerance import assert_close

EOS_ID, VOCABULARY = 3, 7


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_repeated_ngrams_are_those_of_a_plain_search(n: int) -> None:
    ids = np.random.default_rng(n).integers(0, 3, size=(4, 5, 12))
    for position in (0, 1, n - 1, n, 9, 12):
        found = repeats_ngram(tf.constant(ids, tf.int32), position, n, 3).numpy()
        for sentence, slot in np.ndindex(4, 5):
            words = ids[sentence, slot, :position].tolist()
            seen = {tuple(words[i : i + n]) for i in range(len(words) - n + 1)}
            expected = [
                len(words) >= n - 1 and tuple([*words, word][-n:]) in seen
                for word in range(3)
            ]
            assert found[sentence, slot].tolist() == expected


def test_what_is_forbidden_is_forbidden_together() -> None:
    before = make([[4, 5, 4], [5, 5, 6]], [-1.0, -2.0], [False, False])
    options = SearchOptions(forbidden_ids=(0, 6), min_length=4, no_repeat_ngram_size=2)

    def forbidden(prefix: list[int] | None, position: int = 3) -> list[list[int]]:
        words = None if prefix is None else tf.constant([prefix], tf.int32)
        logits = forbid(
            tf.zeros([1, 2, VOCABULARY]), before, position, EOS_ID, options, words
        )
        assert np.all((logits == 0) | np.isneginf(logits))
        return [np.flatnonzero(np.isneginf(row)).tolist() for row in logits[0]]

    # 4 5 was there; 6 is forbidden, so that it has not been followed by anything.
    assert forbidden(None) == [[0, 3, 5, 6], [0, 3, 6]]
    assert forbidden([4, 5, 4]) == [[0, 3, 5, 6], [0, 3, 6]]
    assert forbidden([4, 5, 4, 6]) == [[0, 1, 2, 3, 4, 5]] * 2
    assert forbidden([4, 5, 4, 0]) == [[0, 3, 5, 6], [0, 3, 6]]
    assert forbidden([], position=3) == [[0, 3, 5, 6], [0, 3, 6]]


@pytest.mark.parametrize("position", [1, 4])
@pytest.mark.parametrize("forbidden_ids", [(), (0, 6), (0, 1, 2, 4, 5, 6)])
def test_few_forbidden_words_are_left_out_alike(
    forbidden_ids: tuple[int, ...], position: int
) -> None:
    logits = np.random.default_rng(0).normal(size=(2, 3, VOCABULARY)).astype("float32")
    log_normalizer = np.log(np.exp(logits).sum(axis=2, keepdims=True))
    options = SearchOptions(forbidden_ids=forbidden_ids, min_length=3)
    nothing = Hypotheses.start([True] * 3, 2, 5)
    plain = best_words(
        forbid(tf.constant(logits), nothing, position, EOS_ID, options), log_normalizer
    )
    quick = best_allowed_words(
        tf.constant(logits), log_normalizer, position, EOS_ID, options
    )

    def allowed(words: NextWords, row: tuple[int, int]) -> dict[int, float]:
        pairs = zip(words.ids[row].numpy(), words.log_probs[row].numpy(), strict=True)
        return {
            int(word): float(log_prob) for word, log_prob in pairs if log_prob > -99
        }

    for row in np.ndindex(2, 3):
        first, found = allowed(plain, row), allowed(quick, row)
        # The quick way may have looked at a few words more.
        assert first == {word: found[word] for word in first}
        assert min(first.values(), default=0) >= max(
            (found[word] for word in found if word not in first), default=-99
        )


def test_best_words_have_log_probs() -> None:
    logits = tf.constant([[[1.0, 5.0, -np.inf, 3.0], [0.0, 1.0, 2.0, 3.0]]])
    log_normalizer = tf.constant([[[10.0], [20.0]]])
    found = best_words(logits, log_normalizer)
    assert found.ids.numpy().tolist() == [[[1, 3, 0], [3, 2, 1]]]
    assert found.log_probs.numpy().tolist() == [[[-5, -7, -9], [-17, -18, -19]]]
    loss = tf.constant([[[0.0, 3.0, 0.0, 0.0]]])
    found = best_words(logits, log_normalizer, loss)
    assert found.ids.numpy().tolist() == [[[3, 1, 0], [3, 2, 0]]]
    assert found.log_probs.numpy().tolist() == [[[-7, -5, -9], [-17, -18, -20]]]
    assert found.loss.numpy().tolist() == [[[0, 3, 0], [0, 0, 0]]]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"temperature": 0.3},
        {"temperature": 1e-6},
        {"temperature": 3.0, "top_k": 3},
        {"top_p": 0.6},
        {"top_p": 0.01},
        {"top_k": 5, "top_p": 0.8, "temperature": 1.7},
    ],
)
def test_words_are_drawn_by_their_probability(options: dict[str, float]) -> None:
    random = np.random.default_rng(0)
    logits = random.normal(size=(1, 2, VOCABULARY)) * 2
    logits[0, 0, 4] = -np.inf
    uniforms = np.append(random.uniform(size=(60, 2)), [[0.0, 1 - 2.0**-24]], axis=0)
    for uniform in uniforms:
        log_normalizer = np.logaddexp.reduce(logits, axis=2, keepdims=True)
        found = sampled_words(
            tf.constant(logits, tf.float32),
            tf.constant(log_normalizer, tf.float32),
            tf.constant(uniform[np.newaxis], tf.float32),
            SearchOptions(sample=True, **options),
        )
        for slot in range(2):
            expected = draw(
                logits[0, slot],
                uniform[slot],
                options.get("temperature", 1.0),
                int(options.get("top_k", 0)),
                options.get("top_p", 1.0),
            )
            assert found.ids[0, slot].numpy().tolist() == [expected]
            log_prob = (logits - log_normalizer)[0, slot, expected]
            assert_close(found.log_probs[0, slot], [log_prob], "float32")


def test_numbers_depend_on_key_and_seed_alone() -> None:
    three = uniform_numbers(tf.constant([5, 9, 5]), 1, 4, 2).numpy()
    assert three.shape == (3, 4, 2)
    np.testing.assert_array_equal(three[0], three[2])
    longer = uniform_numbers(tf.constant([9]), 1, 30, 2).numpy()
    np.testing.assert_array_equal(longer[0, :4], three[1])
    other = uniform_numbers(tf.constant([9]), 2, 4, 2).numpy()
    assert not np.any(other == three[1])
    # The keys' numbers are not the same ones, shifted.
    assert len(np.unique(np.append(three[:2], longer[0, 4:]))) == 16 + 52
    assert uniform_numbers(tf.zeros([0], tf.int32), 1, 4, 2).shape == (0, 4, 2)
    assert 0 <= longer.min() < longer.max() < 1
