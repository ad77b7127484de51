"""The loop of a search: what it carries, and what one step does to it."""

import dataclasses
from collections.abc import Callable
from typing import Any, NamedTuple

import tensorflow as tf

from nmt.decoding.extension import (
    Extended,
    NextWords,
    extend,
    extend_each,
    extend_keeping,
)
from nmt.decoding.hypotheses import Hypotheses
from nmt.decoding.length_penalty import coverage_penalty
from nmt.decoding.next_words import (
    best_allowed_words,
    best_words,
    forbid,
    sampled_words,
)
from nmt.decoding.search_options import SearchOptions
from nmt.layers import Logits, join_shards, log_normalizer, map_shards

Step = Callable[..., tuple[Logits, Any]]


class Attention(NamedTuple):
    """What a coverage penalty is made from.

    Attributes:
        alignments: From the state after a step to alpha_i, float32,
            `[rows, source_len]`.
        mask: bool, `[batch, source_len]`; True marks a word that should be covered.
    """

    alignments: Callable[[Any], tf.Tensor]
    mask: tf.Tensor


class Loop(NamedTuple):
    """What the loop carries from step to step.

    Attributes:
        position: int32 scalar, tokens of every live hypothesis.
        running: int32, `[running]`, the rows of the batch that are searched on.
        previous_ids: int32, `[running * beam]`, the last word of each hypothesis.
        state: The state of `step` after the words before that one.
        coverage: sum_i alpha_ij so far, `[running * beam, source_len]`, or `()`.
        memory: Of the running sentences, or `()`.
        hypotheses: Of all sentences of the batch: the live ones and, where the beam
            shrinks, the finished ones.
        finished: The finished ones of all sentences, where the beam does not shrink;
            else `()`.
    """

    position: tf.Tensor
    running: tf.Tensor
    previous_ids: tf.Tensor
    state: Any
    coverage: Any
    memory: Any
    hypotheses: Hypotheses
    finished: Any


@dataclasses.dataclass(frozen=True)
class Search:
    """One call of `beam_search`: its arguments, and the functions of its loop."""

    step: Step
    max_lengths: tf.Tensor
    beam_size: int
    eos_id: int
    options: SearchOptions
    prefix: tf.Tensor | None
    attention: Attention | None
    uniform: tf.Tensor | None
    n_best: int
    compact: bool
    has_memory: bool

    @property
    def keeps_finished(self) -> bool:
        """Whether finished hypotheses are kept beside the beam."""
        return self.options.keep_finished and self.beam_size > 1

    def start(
        self, batch: tf.Tensor, longest: Any, bos_id: int, state: Any, memory: Any
    ) -> Loop:
        """Returns the loop before the first step; see `beam_search`."""
        first = self.beam_size // self.options.groups
        live = [self.options.sample or i % first == 0 for i in range(self.beam_size)]
        nothing = Hypotheses.start([False] * self.beam_size, batch, longest)
        coverage: Any = ()
        if self.attention is not None:
            coverage = tf.zeros(tf.shape(self.attention.mask), tf.float32)
        state, coverage = tf.nest.map_structure(
            lambda part: tf.repeat(part, self.beam_size, axis=0), (state, coverage)
        )
        return Loop(
            position=tf.constant(0),
            running=tf.range(batch),
            previous_ids=tf.fill([batch * self.beam_size], bos_id),
            state=state,
            coverage=coverage,
            memory=memory if self.has_memory else (),
            hypotheses=Hypotheses.start(live, batch, longest),
            finished=nothing if self.keeps_finished else (),
        )

    def run(self, start: Loop) -> Hypotheses:
        """Runs the loop to its end and returns what was found, the best first."""
        # The number of rows is the only size that changes on the way.
        shapes = tf.nest.map_structure(
            lambda x: tf.TensorShape([None, *x.shape[1:]] if x.shape.rank else []),
            start,
        )
        (end,) = tf.while_loop(self.is_running, self.advance, [start], [shapes])
        return self.result(end)

    def is_running(self, loop: Loop) -> tf.Tensor:
        """Whether any hypothesis can grow."""
        return tf.reduce_any(loop.hypotheses.is_live(self.max_lengths))

    def advance(self, loop: Loop) -> tuple[Loop]:
        """Makes every live hypothesis one word longer."""
        memory = (loop.memory,) if self.has_memory else ()
        logits, state = self.step(loop.previous_ids, loop.state, *memory)
        before = self._of_running(loop.hypotheses, loop)
        limits = tf.gather(self.max_lengths, loop.running)
        coverage = loop.coverage
        if self.attention is not None:
            coverage += self.attention.alignments(state)
            mask = tf.gather(self.attention.mask, loop.running)
            before = self._with_coverage(before, coverage, mask, limits)
        after, finished = self._extend(logits, before, limits, loop)
        hypotheses = self._with_running(loop.hypotheses, after.hypotheses, loop)
        if self.keeps_finished:
            finished = self._with_running(loop.finished, finished, loop)
        new = loop._replace(
            position=loop.position + 1,
            state=state,
            coverage=coverage,
            hypotheses=hypotheses,
            finished=finished,
        )
        return (self._follow(new, after, limits),)

    def result(self, loop: Loop) -> Hypotheses:
        """Returns what was found, the best first."""
        found = loop.hypotheses
        if self.keeps_finished:
            found = Hypotheses.joined([loop.finished, found])
        found = found.ranked(self.options)
        if self.options.sample or self.options.groups > 1:
            found = found.distinct().ranked(self.options)
        return found.between(0, self.beam_size)

    def _extend(
        self, logits: Logits, before: Hypotheses, limits: tf.Tensor, loop: Loop
    ) -> tuple[Extended, Any]:
        logits = map_shards(lambda shard, _: tf.cast(shard, tf.float32), logits)
        normalizer = tf.reshape(log_normalizer(logits), [-1, self.beam_size, 1])
        logits = map_shards(lambda shard, _: self._by_sentence(shard), logits)
        if self._forbids_few:
            words = best_allowed_words(
                logits, normalizer, loop.position, self.eos_id, self.options
            )
            return self._extend_beam(words, before, limits, loop)
        prefix = None if self.prefix is None else tf.gather(self.prefix, loop.running)
        logits = forbid(
            logits, before, loop.position, self.eos_id, self.options, prefix
        )
        if self.uniform is not None:
            uniform = tf.gather(self.uniform[:, loop.position], loop.running)
            words = sampled_words(logits, normalizer, uniform, self.options)
            return extend_each(before, words, limits, self.eos_id), ()
        if self.options.groups > 1:
            whole = join_shards(logits)
            return self._extend_groups(whole, normalizer, before, limits), ()
        words = best_words(logits, normalizer)
        return self._extend_beam(words, before, limits, loop)

    def _by_sentence(self, rows: tf.Tensor) -> tf.Tensor:
        """Returns `[rows, words]` as `[batch, beam, words]`."""
        return tf.reshape(
            rows, [-1, self.beam_size, rows.shape[1] or tf.shape(rows)[1]]
        )

    @property
    def _forbids_few(self) -> bool:
        """Whether all that can be forbidden are a few words, known beforehand."""
        options = self.options
        varied = options.sample or options.groups > 1 or options.no_repeat_ngram_size
        return not varied and self.prefix is None

    def _extend_beam(
        self, words: NextWords, before: Hypotheses, limits: tf.Tensor, loop: Loop
    ) -> tuple[Extended, Any]:
        if not self.keeps_finished:
            return extend(before, words, limits, self.eos_id), ()
        return extend_keeping(
            before,
            self._of_running(loop.finished, loop),
            words,
            limits,
            self.eos_id,
            self.options,
            self.n_best,
        )

    def _extend_groups(
        self,
        logits: tf.Tensor,
        normalizer: tf.Tensor,
        before: Hypotheses,
        limits: tf.Tensor,
    ) -> Extended:
        size = self.beam_size // self.options.groups
        vocabulary_size = tf.shape(logits)[2]
        loss = tf.zeros_like(logits[:, :1])
        parts = []
        for first in range(0, self.beam_size, size):
            own = slice(first, first + size)
            part = before.between(first, first + size)
            words = best_words(logits[:, own], normalizer[:, own], loss)
            after, parents = extend(part, words, limits, self.eos_id)
            grew = tf.gather(part.is_live(limits), parents, batch_dims=1)
            grew &= ~after.is_empty()
            taken = tf.one_hot(after.last_ids(), vocabulary_size)
            taken = tf.where(grew[:, :, tf.newaxis], taken, 0.0)
            loss += self.options.diversity * tf.reduce_sum(taken, 1, keepdims=True)
            parts.append(Extended(after, parents + first))
        hypotheses, parents = zip(*parts, strict=True)
        return Extended(Hypotheses.joined(hypotheses), tf.concat(parents, axis=1))

    def _with_coverage(
        self,
        hypotheses: Hypotheses,
        coverage: tf.Tensor,
        mask: tf.Tensor,
        limits: tf.Tensor,
    ) -> Hypotheses:
        shape = [-1, self.beam_size, tf.shape(coverage)[1]]
        penalties = coverage_penalty(tf.reshape(coverage, shape), mask[:, tf.newaxis])
        live = hypotheses.is_live(limits)
        return hypotheses._replace(
            coverage=tf.where(live, penalties, hypotheses.coverage)
        )

    def _of_running(self, hypotheses: Hypotheses, loop: Loop) -> Hypotheses:
        return hypotheses.of_sentences(loop.running) if self.compact else hypotheses

    def _with_running(
        self, hypotheses: Hypotheses, new: Hypotheses, loop: Loop
    ) -> Hypotheses:
        if not self.compact:
            return new
        return hypotheses.with_sentences(loop.running, new)

    def _follow(self, loop: Loop, after: Extended, limits: tf.Tensor) -> Loop:
        """Takes the state along the hypotheses, and leaves out what has ended."""
        running, memory = loop.running, loop.memory
        previous_ids = after.hypotheses.last_ids()
        # The rows of `step` that the hypotheses grew from: state is gathered only once,
        # to follow them and to leave out the sentences that have ended.
        rows = tf.range(tf.size(running))[:, tf.newaxis] * self.beam_size
        rows += after.parents
        if self.compact:
            live = after.hypotheses.is_live(limits)
            goes_on = tf.where(tf.reduce_any(live, axis=1))[:, 0]
            # The memory is the same until a sentence leaves.
            memory = tf.cond(
                tf.size(goes_on) < tf.size(running),
                lambda: tf.nest.map_structure(lambda x: tf.gather(x, goes_on), memory),
                lambda: memory,
            )
            running, previous_ids, rows = (
                tf.gather(part, goes_on) for part in (running, previous_ids, rows)
            )
        rows = tf.reshape(rows, [-1])
        state, coverage = tf.nest.map_structure(
            lambda part: tf.gather(part, rows), (loop.state, loop.coverage)
        )
        return loop._replace(
            running=running,
            previous_ids=tf.reshape(previous_ids, [-1]),
            state=state,
            coverage=coverage,
            memory=memory,
        )
