"""One step of a beam, worked out by hand."""

import math

import numpy as np
import tensorflow as tf

from nmt.decoding.hypotheses import Hypotheses, extend

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
    )


def test_start_is_one_live_hypothesis_a_sentence() -> None:
    limits = tf.constant([3, 0])
    start = Hypotheses.start(limits, beam_size=2)
    assert start.ids.shape == (2, 2, 3)
    assert start.is_empty().numpy().tolist() == [[False, True], [False, True]]
    assert start.is_live(limits).numpy().tolist() == [[True, False], [False, False]]


def test_ended_hypotheses_keep_their_slots_and_the_best_words_fill_the_others() -> None:
    before = make([[5], [EOS_ID], [6]], [-1.0, -50.0, -2.0], [False, True, False])
    after, parents = extend(
        before,
        word_ids=tf.constant([[[7, 8], [7, 8], [EOS_ID, 8]]]),
        word_log_probs=tf.constant([[[-5.0, -0.5], [-0.1, -0.1], [-0.25, -7.0]]]),
        max_lengths=tf.constant([3]),
        eos_id=EOS_ID,
    )
    assert after.ids.numpy().tolist() == [[[5, 8, 0], [EOS_ID, 0, 0], [6, EOS_ID, 0]]]
    assert after.log_probs.numpy().tolist() == [[-1.5, -50.0, -2.25]]
    assert after.finished.numpy().tolist() == [[False, True, True]]
    assert after.lengths.numpy().tolist() == [[2, 1, 2]]
    assert parents.numpy().tolist() == [[0, 1, 2]]
    assert after.last_ids().numpy().tolist() == [[8, EOS_ID, EOS_ID]]


def test_one_parent_may_fill_the_beam() -> None:
    before = make([[5], [6]], [-9.0, -1.0], [False, False])
    after, parents = extend(
        before,
        word_ids=tf.constant([[[7, 8], [7, 8]]]),
        word_log_probs=tf.constant([[[-0.5, -0.5], [-1.0, -2.0]]]),
        max_lengths=tf.constant([3]),
        eos_id=EOS_ID,
    )
    assert after.ids.numpy().tolist() == [[[6, 7, 0], [6, 8, 0]]]
    assert after.log_probs.numpy().tolist() == [[-2.0, -3.0]]
    assert parents.numpy().tolist() == [[1, 1]]


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
    assert found.ranked(alpha=1.0).log_probs.numpy().tolist() == [[-2.5, -2.0]]
    assert found.ranked(alpha=0.1).log_probs.numpy().tolist() == [[-2.0, -2.5]]


def test_rows_of_the_batch_are_picked_and_replaced() -> None:
    both = Hypotheses.start(tf.constant([3, 3, 3]), beam_size=2)
    new = both.of_sentences(tf.constant([1]))._replace(
        log_probs=tf.constant([[-1.0, -2.0]])
    )
    replaced = both.with_sentences(tf.constant([2]), new)
    np.testing.assert_array_equal(
        replaced.log_probs, [[0.0, NOTHING], [0.0, NOTHING], [-1.0, -2.0]]
    )
