"""Hypotheses of a search as tensors: how they begin, grow and are ranked."""

from typing import NamedTuple

import tensorflow as tf

from nmt.decoding.length_penalty import length_penalty

_INFINITY = float("inf")


class Hypotheses(NamedTuple):
    """`beam` hypotheses a sentence, each in a slot of its own.

    A slot is empty (log probability -inf), live, or ended: finished by the end of
    sentence, or as long as its sentence allows. While a search runs, only the log
    probability of an empty slot means something; `ranked` clears the rest of it.

    Attributes:
        ids: int32, `[batch, beam, max_length]`; 0 after the last token.
        lengths: int32, `[batch, beam]`, tokens, the end of sentence counted if present.
        log_probs: float32, `[batch, beam]`, nats: the sum over the tokens.
        finished: bool, `[batch, beam]`, whether the last token is the end of sentence.
    """

    ids: tf.Tensor
    lengths: tf.Tensor
    log_probs: tf.Tensor
    finished: tf.Tensor

    @classmethod
    def start(cls, max_lengths: tf.Tensor, beam_size: int) -> "Hypotheses":
        """Returns one hypothesis without tokens a sentence, and empty slots.

        Args:
            max_lengths: int32, `[batch]`, tokens.
            beam_size: Slots a sentence.
        """
        batch = tf.shape(max_lengths)[0]
        longest = tf.maximum(tf.reduce_max(max_lengths), 0)
        log_probs = tf.constant([[0.0] + [-_INFINITY] * (beam_size - 1)])
        return cls(
            ids=tf.zeros([batch, beam_size, longest], tf.int32),
            lengths=tf.zeros([batch, beam_size], tf.int32),
            log_probs=tf.tile(log_probs, [batch, 1]),
            finished=tf.zeros([batch, beam_size], tf.bool),
        )

    def is_empty(self) -> tf.Tensor:
        """Returns bool, `[batch, beam]`."""
        return tf.equal(self.log_probs, -_INFINITY)

    def is_live(self, max_lengths: tf.Tensor) -> tf.Tensor:
        """Returns bool, `[batch, beam]`: whether the hypothesis can grow.

        Args:
            max_lengths: int32, `[batch]`, tokens.
        """
        may_grow = ~self.finished & (self.lengths < max_lengths[:, tf.newaxis])
        return may_grow & ~self.is_empty()

    def at_slots(self, slots: tf.Tensor) -> "Hypotheses":
        """Picks hypotheses of each sentence.

        Args:
            slots: int32, `[batch, picked]`.
        """
        return Hypotheses(*(tf.gather(part, slots, batch_dims=1) for part in self))

    def of_sentences(self, sentences: tf.Tensor) -> "Hypotheses":
        """Picks rows of the batch.

        Args:
            sentences: int, `[picked]`.
        """
        return Hypotheses(*(tf.gather(part, sentences) for part in self))

    def with_sentences(self, sentences: tf.Tensor, new: "Hypotheses") -> "Hypotheses":
        """Puts `new` in the place of some rows of the batch.

        Args:
            sentences: int, `[replaced]`.
            new: `[replaced, beam]`.
        """
        rows = sentences[:, tf.newaxis]
        return Hypotheses(
            *map(tf.tensor_scatter_nd_update, self, [rows] * len(self), new)
        )

    def last_ids(self) -> tf.Tensor:
        """Returns int32, `[batch, beam]`; id 0 for a hypothesis without tokens."""
        last = tf.maximum(self.lengths - 1, 0)
        return tf.gather(self.ids, last, batch_dims=2)

    def ranked(self, alpha: float = 0.0) -> "Hypotheses":
        """Sorts by score, finished ones before unfinished before empty.

        Args:
            alpha: Of `length_penalty`; with 0 the score is the log probability.
        """
        beam_size = self.log_probs.shape[1]
        scores = self.log_probs / length_penalty(
            tf.cast(self.lengths, tf.float32), alpha
        )
        # top_k leaves equal keys in their order, so the second sort keeps the first's.
        result = self.at_slots(tf.math.top_k(scores, beam_size).indices)
        filled = ~result.is_empty()
        result = result._replace(
            lengths=tf.where(filled, result.lengths, 0),
            finished=filled & result.finished,
        )
        first = tf.math.top_k(tf.cast(result.finished, tf.int32), beam_size).indices
        result = result.at_slots(first)
        positions = tf.range(tf.shape(self.ids)[2])
        inside = positions < result.lengths[:, :, tf.newaxis]
        return result._replace(ids=tf.where(inside, result.ids, 0))


def extend(
    hypotheses: Hypotheses,
    word_ids: tf.Tensor,
    word_log_probs: tf.Tensor,
    max_lengths: tf.Tensor,
    eos_id: int,
) -> tuple[Hypotheses, tf.Tensor]:
    """Grows every live hypothesis by one word and keeps the most likely ones.

    Hypotheses that have ended stay in their slots, whatever their log probability; the
    r-th most likely of the grown ones gets the r-th other slot. Thus a beam that has
    finished n hypotheses goes on with n fewer.

    Args:
        hypotheses: Those so far.
        word_ids: int32, `[batch, beam, words]`: candidates for the next word.
        word_log_probs: float32, `[batch, beam, words]`, nats.
        max_lengths: int32, `[batch]`, tokens.
        eos_id: The word that finishes a hypothesis.

    Returns:
        hypotheses: As many slots as before.
        parents: int32, `[batch, beam]`, the slot in which each one was or grew.
    """
    beam_size, words = hypotheses.log_probs.shape[1], tf.shape(word_ids)[2]
    live = hypotheses.is_live(max_lengths)
    log_probs = hypotheses.log_probs[:, :, tf.newaxis] + word_log_probs
    # False for NaN too: what has no probability is never taken.
    possible = live[:, :, tf.newaxis] & (log_probs > -_INFINITY)
    log_probs = tf.where(possible, log_probs, -_INFINITY)
    flat_shape = [-1, beam_size * words]
    best, chosen = tf.math.top_k(tf.reshape(log_probs, flat_shape), beam_size)

    free = live | hypotheses.is_empty()
    rank = tf.maximum(tf.cumsum(tf.cast(free, tf.int32), axis=1) - 1, 0)
    best, chosen = (tf.gather(x, rank, batch_dims=1) for x in (best, chosen))
    parents = tf.where(free, chosen // words, tf.range(beam_size))
    word = tf.gather(tf.reshape(word_ids, flat_shape), chosen, batch_dims=1)

    grown = hypotheses.at_slots(parents)
    is_new = free[:, :, tf.newaxis] & (
        tf.range(tf.shape(grown.ids)[2]) == grown.lengths[:, :, tf.newaxis]
    )
    grown = Hypotheses(
        ids=tf.where(is_new, word[:, :, tf.newaxis], grown.ids),
        lengths=grown.lengths + tf.cast(free, tf.int32),
        log_probs=tf.where(free, best, hypotheses.log_probs),
        finished=tf.where(free, tf.equal(word, eos_id), hypotheses.finished),
    )
    return grown, parents
