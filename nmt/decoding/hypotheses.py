"""Hypotheses of a search as tensors: how they begin, are picked and are ranked."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import tensorflow as tf

from nmt.decoding.length_penalty import length_penalty
from nmt.decoding.search_options import SearchOptions

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
        coverage: float32, `[batch, beam]`: `coverage_penalty`, 0 where it is not asked
            for.
    """

    ids: tf.Tensor
    lengths: tf.Tensor
    log_probs: tf.Tensor
    finished: tf.Tensor
    coverage: tf.Tensor

    @classmethod
    def start(
        cls, live: Sequence[bool], batch: tf.Tensor, longest: Any
    ) -> "Hypotheses":
        """Returns hypotheses without tokens, and empty slots.

        Args:
            live: For each slot, whether a hypothesis begins there.
            batch: Sentences.
            longest: Most tokens of any hypothesis.
        """
        log_probs = tf.constant([0.0 if each else -_INFINITY for each in live])
        shape = [batch, len(live)]
        return cls(
            ids=tf.zeros([*shape, longest], tf.int32),
            lengths=tf.zeros(shape, tf.int32),
            log_probs=tf.tile(log_probs[tf.newaxis], [batch, 1]),
            finished=tf.zeros(shape, tf.bool),
            coverage=tf.zeros(shape),
        )

    @classmethod
    def joined(cls, parts: Sequence["Hypotheses"]) -> "Hypotheses":
        """Puts the slots of several beams beside each other."""
        return cls(*(tf.concat(each, axis=1) for each in zip(*parts, strict=True)))

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

    def between(self, first: int, last: int) -> "Hypotheses":
        """Picks the slots from `first` up to, not including, `last`."""
        return Hypotheses(*(part[:, first:last] for part in self))

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

    def scores(self, options: SearchOptions) -> tf.Tensor:
        """Returns what hypotheses are ranked by, float32, `[batch, beam]`."""
        penalty = length_penalty(
            # Hypotheses without tokens are not compared, but must not divide by zero.
            tf.maximum(tf.cast(self.lengths, tf.float32), 1.0),
            options.alpha,
            options.normalization,
        )
        return self.log_probs / penalty + options.coverage_penalty * self.coverage

    def ranked(self, options: SearchOptions | None = None) -> "Hypotheses":
        """Sorts by score, finished ones before unfinished before empty.

        Args:
            options: What the score is; None: the log probability.
        """
        scores = self.scores(options or SearchOptions())
        # top_k leaves equal keys in their order, so the second sort keeps the first's.
        result = self._sorted_by(scores)
        filled = ~result.is_empty()
        result = result._replace(
            lengths=tf.where(filled, result.lengths, 0),
            finished=filled & result.finished,
            coverage=tf.where(filled, result.coverage, 0.0),
        )
        result = result._sorted_by(tf.cast(result.finished, tf.int32))
        positions = tf.range(tf.shape(self.ids)[2])
        inside = positions < result.lengths[:, :, tf.newaxis]
        return result._replace(ids=tf.where(inside, result.ids, 0))

    def distinct(self) -> "Hypotheses":
        """Empties the slots whose words stand in an earlier slot of their sentence."""
        positions = tf.range(tf.shape(self.ids)[2])
        inside = positions < self.lengths[:, :, tf.newaxis]
        ids = tf.where(inside, self.ids, 0)
        # Unfinished or not goes with the words, except for hypotheses without any.
        same = tf.reduce_all(ids[:, :, tf.newaxis] == ids[:, tf.newaxis], axis=3)
        beam_size = self.log_probs.shape[1]
        earlier = tf.range(beam_size) < tf.range(beam_size)[:, tf.newaxis]
        again = same & earlier & ~self.is_empty()[:, tf.newaxis]
        again = tf.reduce_any(again, axis=2)
        return self._replace(log_probs=tf.where(again, -_INFINITY, self.log_probs))

    def _sorted_by(self, keys: tf.Tensor) -> "Hypotheses":
        """Puts the slots in order, largest key first."""
        return self.at_slots(tf.math.top_k(keys, keys.shape[1]).indices)
