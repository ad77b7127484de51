"""From lines to their best translations, all inside a graph."""

from collections.abc import Mapping
from typing import NamedTuple

import tensorflow as tf

from nmt.config import DecodingConfig
from nmt.data.codec import TextCodec
from nmt.data.pipeline import source_batch
from nmt.data.vocabulary import UNK_ID
from nmt.decoding import Ensemble, Hypotheses, TranslationOptions
from nmt.decoding.searcher import Searcher, Ways
from nmt.export.batches import in_batches
from nmt.export.lines import Lines

_INFINITY = float("inf")


class Found(NamedTuple):
    """The best hypotheses of each line, of distinct texts, the best first.

    Where there are fewer than asked for, texts are empty and log probabilities -inf. A
    blank line has one, which is empty and certain.

    Attributes:
        texts: string, `[lines, n_best]`.
        log_probs: float32, `[lines, n_best]`, nats.
        scores: float32, `[lines, n_best]`: what they are ranked by.
        lengths: int32, `[lines, n_best]`: tokens, end of sentence included.
        finished: bool, `[lines, n_best]`: whether there is an end of sentence.
    """

    texts: tf.Tensor
    log_probs: tf.Tensor
    scores: tf.Tensor
    lengths: tf.Tensor
    finished: tf.Tensor


class ServedSearch(tf.Module):
    """Does in a graph what a `Translator` does in Python.

    Args:
        ensemble: The models.
        options: How to translate, all defaults filled in.
    """

    def __init__(self, ensemble: Ensemble, options: TranslationOptions) -> None:
        super().__init__(name="served_search")
        first = ensemble.members[0]
        self._codec: TextCodec = first.target_codec
        self._limits: DecodingConfig = first.config.decoding
        self._options = options
        self._ensemble = ensemble
        self._dictionary = _table(options.dictionary) if options.dictionary else None
        self._pieces = tf.constant(self._codec.vocabulary.tokens, tf.string)

    def run(self, lines: Lines, n_best: int) -> Found:
        """Translates lines, some at a time.

        Args:
            lines: Of the source.
            n_best: Hypotheses a line.
        """
        count = tf.size(lines.lengths)
        first = tf.one_hot(0, n_best, True, False)
        blank = Found(
            texts=tf.fill([count, n_best], ""),
            log_probs=tf.tile(tf.where(first, 0.0, -_INFINITY)[None], [count, 1]),
            scores=tf.tile(tf.where(first, 0.0, -_INFINITY)[None], [count, 1]),
            lengths=tf.zeros([count, n_best], tf.int32),
            finished=tf.tile(first[None], [count, 1]),
        )

        # Of this graph alone: what a searcher keeps may read weights of its graph.
        searcher = Searcher(self._ensemble)

        def translate(rows: tf.Tensor) -> Found:
            ids, tokens = tf.gather(lines.ids, rows), tf.gather(lines.tokens, rows)
            return self._translate(searcher, ids, tokens, n_best)

        assert self._options.batch_size is not None
        return in_batches(translate, lines.lengths, blank, self._options.batch_size)

    def _translate(
        self,
        searcher: Searcher,
        ids: tf.RaggedTensor,
        tokens: tf.RaggedTensor,
        n_best: int,
    ) -> Found:
        assert self._options.beam_size is not None
        source = source_batch(ids, reverse=False)
        ways = Ways(self._options.beam_size, n_best, self._options.search)
        lengths = tf.cast(ids.row_lengths(), tf.int32)
        # The samples' keys, which no search without samples looks at.
        found = searcher.search(source, self._max_lengths(lengths), lengths, None, ways)
        texts = self._texts(searcher, found, source, tokens)
        scores = found.scores(self._options.search)
        is_one = found.log_probs > -_INFINITY
        slots = _distinct(texts, is_one, n_best)
        is_one = slots >= 0
        parts = (texts, found.log_probs, scores, found.lengths, found.finished)
        chosen = (tf.gather(each, tf.maximum(slots, 0), batch_dims=1) for each in parts)
        nothing = ("", -_INFINITY, -_INFINITY, 0, False)
        return Found(
            *(
                tf.where(is_one, each, tf.constant(other, each.dtype))
                for each, other in zip(chosen, nothing, strict=True)
            )
        )

    def _max_lengths(self, lengths: tf.Tensor) -> tf.Tensor:
        """Returns what `length_limits` does."""
        longest = self._limits.max_length_factor * tf.cast(lengths, tf.float64)
        longest += self._limits.max_length_offset
        return tf.cast(tf.maximum(longest, 1), tf.int32)

    def _texts(
        self,
        searcher: Searcher,
        found: Hypotheses,
        source: tf.Tensor,
        tokens: tf.RaggedTensor,
    ) -> tf.Tensor:
        """Returns the text of every hypothesis, string, `[lines, beam]`."""
        shape = tf.shape(found.lengths)
        lengths = found.lengths - tf.cast(found.finished, tf.int32)
        rows = tf.reshape(found.ids, [-1, tf.shape(found.ids)[2]])
        words = tf.RaggedTensor.from_tensor(rows, tf.reshape(lengths, [-1]))
        if self._options.dictionary is None:
            texts = self._codec.decode(words)
        else:
            texts = self._codec.tokenizer.detokenize(
                words.with_flat_values(
                    tf.cond(
                        tf.reduce_any(words.flat_values == UNK_ID),
                        lambda: self._replaced(
                            searcher, words, found.ids, source, tokens
                        ),
                        lambda: tf.gather(self._pieces, words.flat_values),
                    )
                )
            )
        return tf.reshape(texts, shape)

    def _replaced(
        self,
        searcher: Searcher,
        words: tf.RaggedTensor,
        ids: tf.Tensor,
        source: tf.Tensor,
        tokens: tf.RaggedTensor,
    ) -> tf.Tensor:
        """Returns the tokens of all hypotheses as `replace_unknown` has them.

        Args:
            searcher: Of the graph.
            words: int32, `[lines * beam, (tokens)]`.
            ids: int32, `[lines, beam, max_length]`: the same with ends of sentence.
            source: int32, `[lines, source_len]`.
            tokens: string, `[lines, (tokens)]`, of the source.

        Returns:
            string, the flat values of `words`.
        """
        lengths = tf.cast(tokens.row_lengths(), tf.int32)
        is_word = tf.sequence_mask(lengths, tf.shape(source)[1])[:, tf.newaxis]

        def most(target: tf.Tensor) -> tf.Tensor:
            alignments = searcher.alignments(source, target)
            alignments = tf.where(is_word, alignments, -1.0)
            return tf.argmax(alignments, axis=2, output_type=tf.int32)

        # A hypothesis of every sentence at a time, not all of them: memory is bounded.
        places = tf.map_fn(
            most,
            tf.transpose(ids, [1, 0, 2]),
            fn_output_signature=tf.TensorSpec([None, None], tf.int32),
        )
        places = tf.transpose(places, [1, 0, 2])
        shape = tf.shape(ids)
        aligned = tf.gather(
            tokens.to_tensor(), tf.reshape(places, [shape[0], -1]), batch_dims=1
        )
        aligned = tf.reshape(aligned, [-1, shape[2]])
        aligned = tf.RaggedTensor.from_tensor(aligned, words.row_lengths()).flat_values
        if self._dictionary is not None:
            known = self._dictionary.lookup(aligned)
            aligned = tf.where(known == "", aligned, known)
        pieces = tf.gather(self._pieces, words.flat_values)
        return tf.where(words.flat_values == UNK_ID, aligned, pieces)


def _table(dictionary: Mapping[str, str]) -> tf.lookup.StaticHashTable:
    """Makes a table that has nothing, "", for what is not in the dictionary."""
    initializer = tf.lookup.KeyValueTensorInitializer(
        tf.constant(list(dictionary), tf.string),
        tf.constant(list(dictionary.values()), tf.string),
    )
    return tf.lookup.StaticHashTable(initializer, default_value="")


def _distinct(texts: tf.Tensor, is_one: tf.Tensor, n_best: int) -> tf.Tensor:
    """Returns the first slots of each line with a text of their own.

    Args:
        texts: string, `[lines, beam]`.
        is_one: bool, `[lines, beam]`: whether there is a hypothesis.
        n_best: How many slots.

    Returns:
        int32, `[lines, n_best]`; -1 where there are fewer.
    """
    slots = tf.range(tf.shape(texts)[1])
    same = texts[:, :, tf.newaxis] == texts[:, tf.newaxis]
    is_earlier = slots < slots[:, tf.newaxis]
    again = tf.reduce_any(same & is_earlier & is_one[:, tf.newaxis], axis=2)
    is_kept = is_one & ~again
    order = tf.argsort(tf.cast(~is_kept, tf.int32), axis=1, stable=True)[:, :n_best]
    return tf.where(tf.gather(is_kept, order, batch_dims=1), order, -1)
