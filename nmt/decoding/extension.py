"""One step of a search: from hypotheses and their next words to longer hypotheses."""

from typing import NamedTuple

import tensorflow as tf

from nmt.decoding.hypotheses import Hypotheses
from nmt.decoding.length_penalty import length_penalty
from nmt.decoding.search_options import SearchOptions

_INFINITY = float("inf")


class NextWords(NamedTuple):
    """Candidates for the next word of each hypothesis.

    Attributes:
        ids: int32, `[batch, beam, words]`.
        log_probs: float32, `[batch, beam, words]`, nats; -inf: not allowed.
        loss: float32, `[batch, beam, words]`: what a word loses when words are chosen,
            though its log probability stays what it is; None: nothing.
    """

    ids: tf.Tensor
    log_probs: tf.Tensor
    loss: tf.Tensor | None = None


class Extended(NamedTuple):
    """Hypotheses after a step.

    Attributes:
        hypotheses: As many slots as before.
        parents: int32, `[batch, beam]`, the slot in which each one was or grew.
    """

    hypotheses: Hypotheses
    parents: tf.Tensor


def extend(
    hypotheses: Hypotheses, words: NextWords, max_lengths: tf.Tensor, eos_id: int
) -> Extended:
    """Grows every live hypothesis by one word and keeps the most likely ones.

    Hypotheses that have ended stay in their slots, whatever their log probability; the
    r-th most likely of the grown ones gets the r-th other slot. Thus a beam that has
    finished n hypotheses goes on with n fewer.

    Args:
        hypotheses: Those so far.
        words: How they may go on.
        max_lengths: int32, `[batch]`, tokens.
        eos_id: The word that finishes a hypothesis.
    """
    beam_size = hypotheses.log_probs.shape[1]
    live = hypotheses.is_live(max_lengths)
    chosen = _best(hypotheses, words, live, beam_size)
    free = live | hypotheses.is_empty()
    rank = tf.maximum(tf.cumsum(tf.cast(free, tf.int32), axis=1) - 1, 0)
    chosen = _Chosen(*(tf.gather(part, rank, batch_dims=1) for part in chosen))
    chosen = chosen._replace(
        parents=tf.where(free, chosen.parents, tf.range(beam_size))
    )
    return Extended(_grown(hypotheses, chosen, free, eos_id), chosen.parents)


def extend_each(
    hypotheses: Hypotheses, words: NextWords, max_lengths: tf.Tensor, eos_id: int
) -> Extended:
    """Grows every live hypothesis by its own one word, in its slot.

    Args:
        hypotheses: Those so far.
        words: One for each of them.
        max_lengths: int32, `[batch]`, tokens.
        eos_id: The word that finishes a hypothesis.
    """
    live = hypotheses.is_live(max_lengths)
    parents = tf.zeros_like(words.ids[:, :, 0]) + tf.range(live.shape[1])
    log_probs = hypotheses.log_probs + words.log_probs[:, :, 0]
    # NaN, too, is no probability.
    log_probs = tf.where(log_probs > -_INFINITY, log_probs, -_INFINITY)
    chosen = _Chosen(log_probs, parents, words.ids[:, :, 0])
    return Extended(_grown(hypotheses, chosen, live, eos_id), parents)


def extend_keeping(
    hypotheses: Hypotheses,
    finished: Hypotheses,
    words: NextWords,
    max_lengths: tf.Tensor,
    eos_id: int,
    options: SearchOptions,
    n_best: int,
) -> tuple[Extended, Hypotheses]:
    """Grows every live hypothesis by one word; the beam stays as wide as it is.

    Of the extended hypotheses, those among the `beam` most likely that end the sentence
    are set beside the finished ones, of which the `beam` with the best scores are kept.
    The `beam` most likely others go on.

    A sentence is settled once `n_best` finished hypotheses have scores that no live one
    can reach. A log probability never rises as words are added, the penalty for length
    never falls, and that for coverage is at most 0, so that the score of whatever a
    live hypothesis may become is at most

        log p(y_1 ... y_i) / length_penalty(max_length)

    and nothing that is left out by ending there would have been returned.

    Args:
        hypotheses: The live ones so far.
        finished: The finished ones so far.
        words: How the live ones may go on.
        max_lengths: int32, `[batch]`, tokens.
        eos_id: The word that finishes a hypothesis.
        options: What the score is.
        n_best: Hypotheses that will be returned.

    Returns:
        The live ones, none where the sentence is settled, and the finished ones.
    """
    beam_size = hypotheses.log_probs.shape[1]
    live = hypotheses.is_live(max_lengths)
    # No more than `beam_size` of them end, so that as many others are among them.
    chosen = _best(hypotheses, words, live, 2 * beam_size)
    ends = tf.equal(chosen.words, eos_id)
    is_new = ends & (tf.range(2 * beam_size) < beam_size)
    grown = _grown(hypotheses, chosen, tf.ones_like(ends), eos_id)
    new = grown._replace(log_probs=tf.where(is_new, grown.log_probs, -_INFINITY))
    pool = Hypotheses.joined([finished, new])
    best = tf.math.top_k(pool.scores(options), beam_size).indices
    finished = pool.at_slots(best)

    going_on = tf.where(ends, -_INFINITY, grown.log_probs)
    slots = tf.math.top_k(going_on, beam_size).indices
    parents = tf.gather(chosen.parents, slots, batch_dims=1)
    after = grown.at_slots(slots)
    after = after._replace(log_probs=tf.gather(going_on, slots, batch_dims=1))

    # Hypotheses at the limit stay where they are, unfinished.
    stays = ~live & ~hypotheses.is_empty()
    after = _where(tf.reduce_any(stays, axis=1), hypotheses, after)
    limits = tf.maximum(tf.cast(max_lengths, tf.float32), 1.0)
    bound = after.log_probs[:, 0] / length_penalty(
        limits, options.alpha, options.normalization
    )
    settled = finished.scores(options)[:, n_best - 1] >= bound
    nothing = tf.fill(tf.shape(after.log_probs), -_INFINITY)
    after = after._replace(
        log_probs=tf.where(settled[:, tf.newaxis], nothing, after.log_probs)
    )
    return Extended(after, parents), finished


class _Chosen(NamedTuple):
    """Words that were chosen: `[batch, chosen]` each, the most likely first."""

    log_probs: tf.Tensor
    parents: tf.Tensor
    words: tf.Tensor


def _best(
    hypotheses: Hypotheses, words: NextWords, live: tf.Tensor, count: int
) -> _Chosen:
    """Returns the `count` most likely extensions of live hypotheses."""
    beam_size, each = hypotheses.log_probs.shape[1], tf.shape(words.ids)[2]
    log_probs = hypotheses.log_probs[:, :, tf.newaxis] + words.log_probs
    # False for NaN too: what has no probability is never taken.
    possible = live[:, :, tf.newaxis] & (log_probs > -_INFINITY)
    log_probs = tf.where(possible, log_probs, -_INFINITY)
    keys = log_probs if words.loss is None else log_probs - words.loss
    keys, log_probs, ids = (
        tf.reshape(part, [-1, beam_size * each])
        for part in (keys, log_probs, words.ids)
    )
    missing = tf.maximum(count - beam_size * each, 0)
    keys = tf.pad(keys, [[0, 0], [0, missing]], constant_values=-_INFINITY)
    chosen = tf.math.top_k(keys, count).indices
    inside = tf.minimum(chosen, beam_size * each - 1)
    best = tf.gather(log_probs, inside, batch_dims=1)
    return _Chosen(
        tf.where(chosen == inside, best, -_INFINITY),
        inside // each,
        tf.gather(ids, inside, batch_dims=1),
    )


def _grown(
    hypotheses: Hypotheses, chosen: _Chosen, grows: tf.Tensor, eos_id: int
) -> Hypotheses:
    """Adds the chosen words to copies of their parents, where `grows` says so."""
    grown = hypotheses.at_slots(chosen.parents)
    is_new = grows[:, :, tf.newaxis] & (
        tf.range(tf.shape(grown.ids)[2]) == grown.lengths[:, :, tf.newaxis]
    )
    return grown._replace(
        ids=tf.where(is_new, chosen.words[:, :, tf.newaxis], grown.ids),
        lengths=grown.lengths + tf.cast(grows, tf.int32),
        log_probs=tf.where(grows, chosen.log_probs, grown.log_probs),
        finished=tf.where(grows, tf.equal(chosen.words, eos_id), grown.finished),
    )


def _where(condition: tf.Tensor, yes: Hypotheses, no: Hypotheses) -> Hypotheses:
    """Picks whole sentences by a condition, `[batch]`."""
    pairs = zip(yes, no, strict=True)
    return Hypotheses(
        *(
            tf.where(
                tf.reshape(condition, [-1] + [1] * (one.shape.rank - 1)), one, other
            )
            for one, other in pairs
        )
    )
