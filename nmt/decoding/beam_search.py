"""Left-to-right beam search over any step function."""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import tensorflow as tf

from nmt.decoding.hypotheses import Hypotheses, extend

Step = Callable[[tf.Tensor, Any], tuple[tf.Tensor, Any]]


def beam_search(
    step: Step,
    state: Any,
    max_lengths: tf.Tensor,
    beam_size: int,
    bos_id: int,
    eos_id: int,
    forbidden_ids: Sequence[int] = (),
    compact: bool = True,
    alpha: float = 0.0,
) -> Hypotheses:
    """Finds likely word sequences, as Sutskever et al. (2014, section 3.2) do.

    The `beam_size` most likely partial hypotheses are extended by every word, and as
    many of the results as the beam is wide are kept, by

        log p(y_1 ... y_i) = sum_{k <= i} log p(y_k | y_1 ... y_{k-1})

    without length normalisation. A hypothesis that has taken the end of sentence leaves
    the beam, which shrinks by one. The search of a sentence ends when its beam is
    empty, or when the hypotheses left in it are as long as `max_lengths` allows. The
    papers do not say what becomes of those: here they are returned, flagged as
    unfinished, and ranked behind all finished ones. A beam of one is greedy search.

    Nothing that is found for a sentence depends on its neighbours in the batch.

    `step` is normalised over the whole vocabulary, forbidden words included: the log
    probability of a hypothesis is the one that forced decoding gives to its words.

    Args:
        step: From ids, int32, `[rows]`, of the previous words and a state to logits,
            float, `[rows, vocabulary]`, of the next words and the next state. A row is
            a live hypothesis; how many there are changes from call to call.
        state: State before the first word: any nest of tensors `[batch, ...]`. The
            search repeats it `beam_size` times and reorders it along the hypotheses.
        max_lengths: int32, `[batch]`, tokens, the end of sentence counted.
        beam_size: Hypotheses a sentence; may exceed the vocabulary.
        bos_id: The word that `step` gets first.
        eos_id: The word that finishes a hypothesis.
        forbidden_ids: Words that are never generated.
        compact: Whether sentences that have ended are left out of later steps: 1.5-1.7
            times as quick. Without it all shapes are static, as XLA needs.
        alpha: Of `length_penalty`: divides the log probabilities when the hypotheses
            that were found are ranked. The search itself is the papers'; with 0 the
            ranking is, too.

    Returns:
        `Hypotheses`, `[batch, beam_size]`, distinct, the finished one of the best score
        first. Where there are fewer than `beam_size`, the last have log probability
        -inf and no words.

    Example:
        Words 0, 1 and 2 (the end) have log probabilities that no state changes.

        >>> log_probs = tf.math.log([[0.5, 0.2, 0.3]])
        >>> def step(ids, state):
        ...     return tf.repeat(log_probs, tf.size(ids), axis=0), state
        >>> found = beam_search(step, (), tf.constant([3]), 2, bos_id=2, eos_id=2)
        >>> found.ids.numpy().tolist(), found.finished.numpy().tolist()
        ([[[2, 0, 0], [0, 0, 0]]], [[True, False]])
        >>> tf.exp(found.log_probs).numpy().round(3)
        array([[0.3  , 0.125]], dtype=float32)
    """
    max_lengths = tf.convert_to_tensor(max_lengths, tf.int32)
    batch = tf.shape(max_lengths)[0]
    search = _Search(step, max_lengths, beam_size, eos_id, forbidden_ids, compact)
    start = _Loop(
        running=tf.range(batch),
        previous_ids=tf.fill([batch * beam_size], bos_id),
        state=tf.nest.map_structure(
            lambda part: tf.repeat(part, beam_size, axis=0), state
        ),
        hypotheses=Hypotheses.start(max_lengths, beam_size),
    )
    # The number of rows is the only size that changes on the way.
    shapes = tf.nest.map_structure(
        lambda part: tf.TensorShape([None, *part.shape[1:]]), start
    )
    (end,) = tf.while_loop(search.is_running, search.advance, [start], [shapes])
    return end.hypotheses.ranked(alpha)


class _Loop(NamedTuple):
    """What the loop carries from step to step.

    Attributes:
        running: int32, `[running]`, the rows of the batch that are searched on.
        previous_ids: int32, `[running * beam]`, the last word of each hypothesis.
        state: The state of `step` after the words before that one.
        hypotheses: Of all sentences of the batch.
    """

    running: tf.Tensor
    previous_ids: tf.Tensor
    state: Any
    hypotheses: Hypotheses


@dataclasses.dataclass(frozen=True)
class _Search:
    """One call's arguments, and the loop's two functions."""

    step: Step
    max_lengths: tf.Tensor
    beam_size: int
    eos_id: int
    forbidden_ids: Sequence[int]
    compact: bool

    def is_running(self, loop: _Loop) -> tf.Tensor:
        return tf.reduce_any(loop.hypotheses.is_live(self.max_lengths))

    def advance(self, loop: _Loop) -> tuple[_Loop]:
        logits, state = self.step(loop.previous_ids, loop.state)
        word_ids, log_probs = self._best_words(logits)
        running = loop.running
        limits = tf.gather(self.max_lengths, running)
        before = loop.hypotheses.of_sentences(running)
        after, parents = extend(before, word_ids, log_probs, limits, self.eos_id)
        hypotheses = loop.hypotheses.with_sentences(running, after)

        previous_ids = after.last_ids()
        # The rows of `step` that the hypotheses grew from: state is gathered only once,
        # to follow them and to leave out the sentences that have ended.
        rows = tf.range(tf.size(running))[:, tf.newaxis] * self.beam_size + parents
        if self.compact:
            goes_on = tf.where(tf.reduce_any(after.is_live(limits), axis=1))[:, 0]
            running, previous_ids, rows = (
                tf.gather(part, goes_on) for part in (running, previous_ids, rows)
            )
        rows = tf.reshape(rows, [-1])
        state = tf.nest.map_structure(lambda part: tf.gather(part, rows), state)
        return (_Loop(running, tf.reshape(previous_ids, [-1]), state, hypotheses),)

    def _best_words(self, logits: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """Returns ids and log probabilities, `[running, beam, words]`.

        No more than `beam_size` extensions of one hypothesis can stay in the beam.
        """
        logits = tf.cast(logits, tf.float32)
        vocabulary_size = tf.shape(logits)[1]
        log_normalizer = tf.reduce_logsumexp(logits, axis=1, keepdims=True)
        forbidden = tf.reduce_any(
            tf.range(vocabulary_size)[:, tf.newaxis]
            == tf.constant(self.forbidden_ids, tf.int32, [len(self.forbidden_ids)]),
            axis=1,
        )
        words = tf.minimum(self.beam_size, vocabulary_size)
        best, ids = tf.math.top_k(tf.where(forbidden, -float("inf"), logits), words)
        shape = [-1, self.beam_size, words]
        return tf.reshape(ids, shape), tf.reshape(best - log_normalizer, shape)
