"""One step of a beam, worked out by hand."""

import math

import numpy as np
import tensorflow as tf

from nmt.decoding.hypotheses import Hypotheses
from nmt.decoding.search_options import SearchOptions

EOS_ID = 9
NOTHING = -math.inf


def make(
    rows: list[list[int]], log_probs: list[float], finished: list[bool]
) -> Hypotheses:
    """One sentence with up to three words a hypothesis."""
    ids = [row + [0] * (3 - len(row)) for row in rows]
    return Hypotheses(
        tf.constant([ids]),
        tf.constant([[len(row) for row in rows]]),
        tf.constant([log_probs]),
        tf.constant([finished]),
        tf.zeros([1, len(rows)]),
    )


def test_start_is_one_live_hypothesis_a_sentence() -> None:
    limits = tf.constant([3, 0])
    start = Hypotheses.start([True, False], batch=2, longest=3)
    assert start.ids.shape == (2, 2, 3)
    assert start.is_empty().numpy().tolist() == [[False, True], [False, True]]
    assert start.is_live(limits).numpy().tolist() == [[True, False], [False, False]]


def test_ranking_puts_finished_before_unfinished_before_empty() -> None:
    found = make(
        [[1, 2, 3], [4, EOS_ID], [8, 8], [EOS_ID]],
        [-1.0, -3.0, NOTHING, -2.0],
        [False, True, True, True],
    ).ranked()
    assert found.ids.numpy().tolist() == [
        [[EOS_ID, 0, 0], [4, EOS_ID, 0], [1, 2, 3], [0, 0, 0]]
    ]
    assert found.log_probs.numpy().tolist() == [[-2.0, -3.0, -1.0, NOTHING]]
    assert found.finished.numpy().tolist() == [[True, True, False, False]]
    assert found.lengths.numpy().tolist() == [[1, 2, 3, 0]]


def test_length_penalty_ranks_by_score() -> None:
    found = make([[EOS_ID], [4, 5, EOS_ID]], [-2.0, -2.5], [True, True])
    # The divisors are 1 and 8/6: scores of -2 and -1.875.
    assert found.ranked(
        SearchOptions(length_penalty=1.0)
    ).log_probs.numpy().tolist() == [[-2.5, -2.0]]
    assert found.ranked(
        SearchOptions(length_penalty=0.1)
    ).log_probs.numpy().tolist() == [[-2.0, -2.5]]


def test_rows_of_the_batch_are_picked_and_replaced() -> None:
    both = Hypotheses.start([True, False], batch=3, longest=3)
    new = both.of_sentences(tf.constant([1]))._replace(
        log_probs=tf.constant([[-1.0, -2.0]])
    )
    replaced = both.with_sentences(tf.constant([2]), new)
    np.testing.assert_array_equal(
        replaced.log_probs, [[0.0, NOTHING], [0.0, NOTHING], [-1.0, -2.0]]
    )


def test_averages_and_coverage_rank_by_score() -> None:
    found = make([[EOS_ID], [4, 5, EOS_ID]], [-2.0, -5.75], [True, True])
    assert found.ranked(SearchOptions()).log_probs.numpy().tolist() == [[-2.0, -5.75]]
    mean = SearchOptions(normalization="mean")
    np.testing.assert_allclose(found.scores(mean), [[-2.0, -5.75 / 3]], rtol=1e-6)
    np.testing.assert_allclose(found.ranked(mean).log_probs, [[-5.75, -2.0]])
    found = found._replace(coverage=tf.constant([[-9.0, -1.0]]))
    options = SearchOptions(coverage_penalty=0.5)
    np.testing.assert_allclose(found.scores(options), [[-6.5, -6.25]])
    np.testing.assert_allclose(found.ranked(options).coverage, [[-1.0, -9.0]])


def test_the_same_words_are_kept_once() -> None:
    found = make(
        [[4, 5], [4, 5], [4], [8, 8], [4, EOS_ID], [8, 8]],
        [-1.0, -1.0, -2.0, NOTHING, -3.0, -4.0],
        [False, False, False, False, True, False],
    )
    kept = found.distinct().log_probs.numpy().tolist()
    assert kept == [[-1.0, NOTHING, -2.0, NOTHING, -3.0, -4.0]]


def test_beams_are_joined_and_parted() -> None:
    one, other = (
        make([[4]], [-1.0], [False]),
        make([[5], [6]], [-2.0, -3.0], [True] * 2),
    )
    both = Hypotheses.joined([one, other])
    assert both.log_probs.numpy().tolist() == [[-1.0, -2.0, -3.0]]
    for part, whole in zip(both.between(1, 3), other, strict=True):
        np.testing.assert_array_equal(part, whole)
