"""One step of a beam, worked out by hand."""

import math

import tensorflow as tf

from nmt.decoding.extension import NextWords, extend, extend_each, extend_keeping
from nmt.decoding.search_options import SearchOptions
from tests.decoding.test_hypotheses import EOS_ID, NOTHING, make


def words(ids: list[list[int]], log_probs: list[list[float]]) -> NextWords:
    """Of one sentence."""
    return NextWords(tf.constant([ids]), tf.constant([log_probs]))


def test_ended_hypotheses_keep_their_slots_and_the_best_words_fill_the_others() -> None:
    before = make([[5], [EOS_ID], [6]], [-1.0, -50.0, -2.0], [False, True, False])
    after, parents = extend(
        before,
        words(
            [[7, 8], [7, 8], [EOS_ID, 8]], [[-5.0, -0.5], [-0.1, -0.1], [-0.25, -7.0]]
        ),
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
        words([[7, 8], [7, 8]], [[-0.5, -0.5], [-1.0, -2.0]]),
        max_lengths=tf.constant([3]),
        eos_id=EOS_ID,
    )
    assert after.ids.numpy().tolist() == [[[6, 7, 0], [6, 8, 0]]]
    assert after.log_probs.numpy().tolist() == [[-2.0, -3.0]]
    assert parents.numpy().tolist() == [[1, 1]]


def test_what_a_word_loses_counts_for_the_choice_alone() -> None:
    before = make([[5], [6]], [-1.0, -1.5], [False, False])
    candidates = words([[7], [8]], [[-0.5], [-0.5]])
    after, parents = extend(
        before,
        candidates._replace(loss=tf.constant([[[2.0], [0.0]]])),
        max_lengths=tf.constant([3]),
        eos_id=EOS_ID,
    )
    assert parents.numpy().tolist() == [[1, 0]]
    assert after.log_probs.numpy().tolist() == [[-2.0, -1.5]]


def test_each_hypothesis_takes_its_own_word() -> None:
    before = make(
        [[5], [EOS_ID], [6], [6]], [-1.0, -9.0, -2.0, -2.0], [False, True] * 2
    )
    before = before._replace(finished=tf.constant([[False, True, False, False]]))
    after, parents = extend_each(
        before,
        words([[7], [7], [EOS_ID], [8]], [[-3.0], [-1.0], [-0.5], [math.nan]]),
        max_lengths=tf.constant([3]),
        eos_id=EOS_ID,
    )
    assert parents.numpy().tolist() == [[0, 1, 2, 3]]
    assert after.log_probs.numpy().tolist() == [[-4.0, -9.0, -2.5, NOTHING]]
    assert after.finished.numpy().tolist()[0][:3] == [False, True, True]
    assert after.ids.numpy().tolist()[0][:3] == [
        [5, 7, 0],
        [EOS_ID, 0, 0],
        [6, EOS_ID, 0],
    ]


def test_finished_ones_are_set_aside_and_the_beam_stays_as_wide() -> None:
    live = make([[5], [6]], [-1.0, -2.0], [False, False])
    kept = make([[EOS_ID], [0]], [-4.0, NOTHING], [True, False])
    for n_best, live_after in ((2, [-1.75, -2.5]), (1, [NOTHING, NOTHING])):
        (after, parents), finished = extend_keeping(
            live,
            kept,
            words(
                [[EOS_ID, 7, 8], [EOS_ID, 7, 8]],
                [[-0.5, -0.75, -4.0], [-9.0, -0.5, -2]],
            ),
            max_lengths=tf.constant([3]),
            eos_id=EOS_ID,
            options=SearchOptions(),
            n_best=n_best,
        )
        assert after.log_probs.numpy().tolist() == [live_after]
        assert parents.numpy().tolist() == [[0, 1]]
        assert after.ids.numpy().tolist() == [[[5, 7, 0], [6, 7, 0]]]
        assert finished.log_probs.numpy().tolist() == [[-1.5, -4.0]]
        assert finished.ids.numpy().tolist()[0][0] == [5, EOS_ID, 0]


def test_the_end_counts_among_the_beams_best_only() -> None:
    live = make([[5], [6]], [-1.0, -2.0], [False, False])
    nothing = make([[0], [0]], [NOTHING, NOTHING], [False, False])
    _, finished = extend_keeping(
        live,
        nothing,
        words([[7, 8, EOS_ID], [7, 8, EOS_ID]], [[-0.1, -0.2, -0.3], [-1, -1, -1]]),
        max_lengths=tf.constant([3]),
        eos_id=EOS_ID,
        options=SearchOptions(),
        n_best=1,
    )
    assert finished.log_probs.numpy().tolist() == [[NOTHING, NOTHING]]
