"""One model or several, as a step function and as forced decoding."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import tensorflow as tf

from nmt.data.pipeline import reverse_words
from nmt.data.vocabulary import PAD_ID
from nmt.decoding.combination import COMBINATIONS, mean_of_probabilities
from nmt.decoding.members import check_members, normalized_weights
from nmt.errors import UserError
from nmt.layers import (
    Logits,
    join_shards,
    log_normalizer,
    log_softmax,
    logits_at,
    map_shards,
)
from nmt.models.encoder import DecoderStart
from nmt.models.run_folder import LoadedModel


class ForcedDecoding(NamedTuple):
    """What the models make of given targets.

    Attributes:
        log_probs: log p(y_i | x, y_1 ... y_{i-1}), float32, `[batch, target_len]`, nats
            a token; 0 at padding.
        alignments: alpha_ij, float32, `[batch, target_len, source_len]`: how much of
            the source position j, in the order of the text, word i was made from. Rows
            sum to one, those at target padding are zero. None: no model attends.
    """

    log_probs: tf.Tensor
    alignments: tf.Tensor | None


class Ensemble:
    """Predicts with the mean of several models' probabilities.

        p(y_i | x, y_1 ... y_{i-1}) = sum_m w_m p_m(y_i | x, y_1 ... y_{i-1})

    where p_m is the probability of model m, and w_m its weight, 1/M if none is given.
    The LSTM paper (Sutskever et al., 2014, section 3.6) has ensembles but no formula
    for them. With `combination="log_linear"` it is the models' geometric mean,
    normalised again; both formulas are in `nmt/decoding/combination.py`.

    A model may be of any architecture and may read the source in either direction: that
    is seen to here. One model alone is the ordinary case, and then nothing is added to
    what it computes.

    Attributes:
        members: The models.

    Args:
        members: The models, their codecs and settings. Codecs are equal by content.
        weights: w_m, one a model, positive; they are divided by their sum. None: equal.
        combination: `probabilities` or `log_linear`.
        names: What errors call the models: their run folders. None: numbers.

    Raises:
        UserError: the models read or write different tokens; weights are not one
            positive number a model; the combination is unknown.
    """

    def __init__(
        self,
        members: Sequence[LoadedModel],
        weights: Sequence[float] | None = None,
        combination: str = "probabilities",
        names: Sequence[str] | None = None,
    ) -> None:
        if not members:
            raise UserError("an ensemble needs at least one model")
        if combination not in COMBINATIONS:
            raise UserError(
                f"combination {combination!r}: choose {' or '.join(COMBINATIONS)}"
            )
        numbers = [f"model {number}" for number in range(1, len(members) + 1)]
        check_members(members, names or numbers)
        self.members = tuple(members)
        self._weights = normalized_weights(weights, len(members))
        self._combination = combination

    def encode(self, source: tf.Tensor) -> DecoderStart:
        """Runs every model's encoder, once a sentence.

        Args:
            source: int32, `[batch, source_len]`: ids in the order of the text, end of
                sentence, padding.

        Returns:
            state: Of every model, `[batch, ...]`.
            memory: Of every model, `[batch, ...]`.
        """
        starts = [
            member.model.encode(each)
            for member, each in zip(self.members, self._readings(source), strict=True)
        ]
        states, memories = zip(*starts, strict=True)
        return DecoderStart(states, memories)

    def sentence_vectors(self, source: tf.Tensor) -> tf.Tensor:
        """Returns what the encoders know of each source when they have read it.

        That is the last state of every layer and direction, h and c of an LSTM: 8,000
        numbers in the LSTM paper (section 3.4), which draws them in figure 2.

        Args:
            source: As for `encode`.

        Returns:
            float32, `[batch, size]`, the models' after each other.
        """
        encodings = [
            member.model.encoder(each)
            for member, each in zip(self.members, self._readings(source), strict=True)
        ]
        parts = tf.nest.flatten([each.state for each in encodings])
        return tf.concat([tf.cast(part, tf.float32) for part in parts], axis=1)

    def step(
        self, ids: tf.Tensor, state: tuple[Any, ...], memory: tuple[Any, ...]
    ) -> tuple[Logits, tuple[Any, ...]]:
        """Runs one step of a search.

        With s^m_i the state of model m after the words y_1 ... y_{i-1}, which all of
        them read:

            l^m_i, s^m_i = model_m(y_{i-1}, s^m_{i-1}, memory_m)
            log p_m = log_softmax(l^m_i)

        Args:
            ids: y_{i-1}, int32, `[rows]`.
            state: s^m_{i-1} of every model, `[rows, ...]`.
            memory: From `encode`, `[sentences, ...]`, not repeated: k rows a sentence
                are one after the other.

        Returns:
            logits: float32, `[rows, vocabulary]`: log p(y_i | x, y_1 ... y_{i-1}),
                nats; of one model alone, its logits. In slices, if the models give
                them in the same slices.
            state: s^m_i of every model.
        """
        logits, states = self.step_each(ids, state, memory)
        return self._combined(logits), states

    def step_each(
        self, ids: tf.Tensor, state: tuple[Any, ...], memory: tuple[Any, ...]
    ) -> tuple[tuple[Logits, ...], tuple[Any, ...]]:
        """Runs one step of each model, and combines nothing.

        Args:
            ids: As for `step`.
            state: As for `step`.
            memory: As for `step`.

        Returns:
            logits: l^m_i of every model, float32, `[rows, vocabulary]` or slices of it.
            state: s^m_i of every model.
        """
        steps = [
            member.model.step(ids, *each)
            for member, *each in zip(self.members, state, memory, strict=True)
        ]
        logits, states = zip(*steps, strict=True)
        return logits, states

    def chosen_log_probs(
        self,
        logits: Sequence[Logits],
        choose: Callable[[Logits], tf.Tensor],
    ) -> list[tf.Tensor]:
        """Returns the log probabilities of some words, by each model and by all.

        Args:
            logits: Of every model, `[..., vocabulary]` or slices of it.
            choose: From logits to the log probabilities of the words.

        Returns:
            What `choose` makes of each model's logits, float32, nats, and after them,
            of several models, what it would make of the ensemble's.
        """
        each_alone = [choose(each) for each in logits]
        if len(each_alone) == 1:
            return each_alone
        if self._combination == "probabilities":
            # The mean of a word needs no other words: no array as large as the logits.
            return [*each_alone, mean_of_probabilities(each_alone, self._weights)]
        return [*each_alone, choose(self._combined(logits))]

    def forced_decoding(self, source: tf.Tensor, target: tf.Tensor) -> ForcedDecoding:
        """Returns the log probabilities of given words, all positions at once.

        They are what `step` gives to these words, one after the other.

        Args:
            source: int32, `[batch, source_len]`: ids in the order of the text, end of
                sentence, padding.
            target: int32, `[batch, target_len]`: ids and padding. An end of sentence is
                a word like any other: without it, its probability is not in the sum.
        """
        found = [
            member.model.logits_and_alignments(each, target)
            for member, each in zip(self.members, self._readings(source), strict=True)
        ]
        logits, alignments = zip(*found, strict=True)
        is_word = tf.not_equal(target, PAD_ID)
        log_probs = tf.where(is_word, self._of_words(logits, target), 0.0)
        aligned = self._in_order(alignments, source)
        if aligned is not None:
            aligned = tf.where(is_word[:, :, tf.newaxis], aligned, 0.0)
        return ForcedDecoding(log_probs, aligned)

    def _readings(self, source: tf.Tensor) -> list[tf.Tensor]:
        """Returns the source as each model reads it."""
        turned = reverse_words(source)
        return [turned if self._turns(each) else source for each in self.members]

    def _turns(self, member: LoadedModel) -> bool:
        return member.config.data.reverse_source

    def _combined(self, logits: Sequence[Logits]) -> Logits:
        if len(logits) == 1:
            return logits[0]
        cuts = {tuple(shard.shape[-1] for shard in _slices(each)) for each in logits}
        if len(cuts) > 1:
            logits = [join_shards(each) for each in logits]
        log_probs = [log_softmax(_float32(each)) for each in logits]
        return COMBINATIONS[self._combination](log_probs, self._weights)

    def _of_words(self, logits: Sequence[Logits], target: tf.Tensor) -> tf.Tensor:
        """Returns log p of the target's words, `[batch, target_len]`."""
        return self.chosen_log_probs(logits, lambda each: _log_probs(each, target))[-1]

    def _in_order(
        self, alignments: Sequence[tf.Tensor | None], source: tf.Tensor
    ) -> tf.Tensor | None:
        """Returns the mean of those that there are, in the order of the text."""
        found = [
            reverse_words(source, each, axis=2) if self._turns(member) else each
            for member, each in zip(self.members, alignments, strict=True)
            if each is not None
        ]
        if not found:
            return None
        return tf.add_n([tf.cast(each, tf.float32) for each in found]) / len(found)


def _log_probs(logits: Logits, target: tf.Tensor) -> tf.Tensor:
    logits = _float32(logits)
    if not isinstance(logits, tuple):
        return -tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=target, logits=logits
        )
    words = tf.reshape(target, [-1])
    rows = map_shards(lambda shard, _: tf.reshape(shard, [-1, shard.shape[-1]]), logits)
    places = tf.stack([tf.range(tf.size(words)), words], axis=1)
    log_probs = logits_at(rows, places) - log_normalizer(rows)
    return tf.reshape(log_probs, tf.shape(target))


def _float32(logits: Logits) -> Logits:
    return map_shards(lambda shard, _: tf.cast(shard, tf.float32), logits)


def _slices(logits: Logits) -> tuple[tf.Tensor, ...]:
    return logits if isinstance(logits, tuple) else (logits,)
