"""Encoder, search and forced decoding of one model or several, as graphs."""

import dataclasses
from collections.abc import Callable
from typing import Any, NamedTuple

import tensorflow as tf

from nmt.data.vocabulary import BOS_ID, EOS_ID, PAD_ID
from nmt.decoding.beam_search import beam_search
from nmt.decoding.ensemble import Ensemble
from nmt.decoding.hypotheses import Hypotheses
from nmt.decoding.search_loop import Attention
from nmt.decoding.search_options import SearchOptions
from nmt.errors import UserError

_IDS = tf.TensorSpec([None, None], tf.int32)
_NUMBERS = tf.TensorSpec([None], tf.int32)


class Ways(NamedTuple):
    """How a batch is searched: what a graph is made for.

    Attributes:
        beam_size: Hypotheses a sentence.
        n_best: Hypotheses of them that are wanted.
        options: All else; the special tokens that no text has are forbidden besides.
    """

    beam_size: int
    n_best: int
    options: SearchOptions


class Searcher:
    """Searches batches of every shape with graphs that are traced once.

    Args:
        ensemble: The models.
    """

    def __init__(self, ensemble: Ensemble) -> None:
        self._ensemble = ensemble
        self._searches: dict[Any, Callable[..., Hypotheses]] = {}
        self._align = tf.function(self._alignments, input_signature=[_IDS, _IDS])

    @property
    def attends(self) -> bool:
        """Whether a model tells what it looks at."""
        return any(each.model.attends for each in self._ensemble.members)

    def search(
        self,
        source: tf.Tensor,
        max_lengths: tf.Tensor,
        keys: tf.Tensor,
        prefix: tf.Tensor | None,
        ways: Ways,
    ) -> Hypotheses:
        """Finds translations.

        Args:
            source: int32, `[batch, source_len]`: ids, end of sentence, padding.
            max_lengths: int32, `[batch]`, tokens.
            keys: int32, `[batch]`: what a sentence draws its samples by.
            prefix: int32, `[batch, prefix_len]`, or None; see `beam_search`.
            ways: How to search.

        Raises:
            UserError: a penalty for coverage is asked for, but no model attends.
        """
        if ways.options.coverage_penalty and not self.attends:
            raise UserError("coverage_penalty needs a model with attention")
        kind = ways, prefix is not None
        if kind not in self._searches:
            self._searches[kind] = self._make_search(*kind)
        prefixes = () if prefix is None else (prefix,)
        return self._searches[kind](source, max_lengths, keys, *prefixes)

    def alignments(self, source: tf.Tensor, target: tf.Tensor) -> tf.Tensor:
        """Returns where the models look as they write the target.

        That is a forced decoding of the target: what is found belongs to its words,
        whatever a search did on its way to them.

        Args:
            source: As for `search`.
            target: int32, `[batch, target_len]`: ids and padding.

        Returns:
            float32, `[batch, target_len, source_len]`; see `ForcedDecoding`.
        """
        return self._align(source, target)

    def _alignments(self, source: tf.Tensor, target: tf.Tensor) -> tf.Tensor:
        return self._ensemble.forced_decoding(source, target).alignments

    def _make_search(self, ways: Ways, has_prefix: bool) -> Callable[..., Hypotheses]:
        special = (PAD_ID, BOS_ID)
        options = dataclasses.replace(
            ways.options, forbidden_ids=(*special, *ways.options.forbidden_ids)
        )

        @tf.function(input_signature=[_IDS, _NUMBERS, _NUMBERS] + [_IDS] * has_prefix)
        def search(
            source: tf.Tensor,
            max_lengths: tf.Tensor,
            keys: tf.Tensor,
            prefix: tf.Tensor | None = None,
        ) -> Hypotheses:
            start = self._ensemble.encode(source)
            found = beam_search(
                self._ensemble.step,
                start.state,
                max_lengths,
                ways.beam_size,
                bos_id=BOS_ID,
                eos_id=EOS_ID,
                options=self._with_mean_coverage(options),
                memory=start.memory,
                prefix=prefix,
                sample_keys=keys,
                attention=self._attention(source) if self.attends else None,
                n_best=ways.n_best,
            )
            return found._replace(coverage=found.coverage / self._attending_count())

        return search

    def _attending(self) -> list[int]:
        members = enumerate(self._ensemble.members)
        return [place for place, each in members if each.model.attends]

    def _attention(self, source: tf.Tensor) -> Attention:
        """Returns the alignments of all models that attend, side by side.

        Each has them in the order in which it reads the source: its words come first,
        in one order or the other.
        """
        attending = self._attending()
        is_word = (source != PAD_ID) & (source != EOS_ID)

        def alignments(states: Any) -> tf.Tensor:
            each = [states[place].attention.alignments for place in attending]
            return tf.concat([tf.cast(part, tf.float32) for part in each], axis=1)

        return Attention(alignments, tf.tile(is_word, [1, len(attending)]))

    def _with_mean_coverage(self, options: SearchOptions) -> SearchOptions:
        """Makes the sum of the models' penalties their mean."""
        share = options.coverage_penalty / self._attending_count()
        return dataclasses.replace(options, coverage_penalty=share)

    def _attending_count(self) -> int:
        return max(len(self._attending()), 1)
