"""Trained models as a SavedModel has them: strings in, translations out."""

import contextlib
import functools
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from nmt.data.pipeline import source_batch, target_batch
from nmt.decoding import Ensemble, TranslationOptions
from nmt.export.batches import in_batches
from nmt.export.compression import CompressedWeights
from nmt.export.lines import Lines, read_lines
from nmt.export.search import ServedSearch

_STRINGS = tf.TensorSpec([None], tf.string)


def _graph(*signature: tf.TensorSpec) -> Callable[[Any], Any]:
    """Makes a method of `ServingModule` a graph that reads its stored weights."""

    def decorate(method: Callable[..., Any]) -> Any:
        @functools.wraps(method)
        def run(self: "ServingModule", *arguments: tf.Tensor) -> Any:
            with self._weights_in_scope():
                return method(self, *arguments)

        return tf.function(run, input_signature=signature)

    return decorate


class ServingModule(tf.Module):
    """Everything from strings to translations as graphs: one for each signature.

    - `serving_default(source)`: the best translation of each line;
    - `n_best(source)`: several, of distinct texts;
    - `score(source, target)`: log p(target | source) and that of each token;
    - `encode(source)`: each line as a vector;
    - `align(source, target)`: where each token of the target looked, of models that
      attend.

    They give what `nmt-decode` and `nmt-rescore` do, and work for any number of lines,
    none included. Bytes that are no UTF-8 are read as U+FFFD.

    Args:
        ensemble: The models.
        options: How to translate, all defaults filled in.
        compression: Of the weights: `none`, `float16` or `int8`.

    Raises:
        UserError: an option needs attention, and no model has it.
    """

    def __init__(
        self,
        ensemble: Ensemble,
        options: TranslationOptions,
        compression: str = "none",
    ) -> None:
        super().__init__(name="translator")
        first = ensemble.members[0]
        self._source_codec, self._target_codec = first.source_codec, first.target_codec
        models = [member.model for member in ensemble.members]
        self._attends = any(model.attends for model in models)
        # Ensembles are no modules: what is not here would not be saved.
        self._models = models if compression == "none" else []
        self.compressed = None
        if compression != "none":
            self.compressed = CompressedWeights(models, compression)
            self._stored = self.compressed.stored
        if not self._attends:
            options.check_without_attention()
        self._ensemble = ensemble
        self._options = options
        self._search = ServedSearch(ensemble, options)
        if self._attends:
            # Only then: a module's graphs are all made when it is saved.
            self.align = tf.function(self._align, input_signature=[_STRINGS, _STRINGS])

    def signatures(self) -> dict[str, Any]:
        """Returns the graphs by the names under which they are served."""
        found = {
            "serving_default": self.translate.get_concrete_function(),
            "n_best": self.n_best.get_concrete_function(),
            "score": self.score.get_concrete_function(),
            "encode": self.encode.get_concrete_function(),
        }
        if self._attends:
            found["align"] = self.align.get_concrete_function()
        return found

    @_graph(_STRINGS)
    def translate(self, source: tf.Tensor) -> dict[str, tf.Tensor]:
        """Translates lines.

        Args:
            source: string, `[lines]`.

        Returns:
            text: string, `[lines]`.
            score: float32, `[lines]`: what hypotheses are ranked by.
            log_prob: float32, `[lines]`, nats.
            length: int32, `[lines]`: tokens, end of sentence included.
            finished: bool, `[lines]`: whether there is an end of sentence.
            source_length: int32, `[lines]`: tokens that were read.
            source_is_cut: bool, `[lines]`: whether there were more.
        """
        lines = self._read(source)
        best = {
            name: value[:, 0]
            for name, value in self._search.run(lines, 1)._asdict().items()
        }
        return {
            "text": best["texts"],
            "score": best["scores"],
            "log_prob": best["log_probs"],
            "length": best["lengths"],
            "finished": best["finished"],
            "source_length": lines.lengths,
            "source_is_cut": lines.is_cut,
        }

    @_graph(_STRINGS)
    def n_best(self, source: tf.Tensor) -> dict[str, tf.Tensor]:
        """Translates lines in several ways; see `Found`.

        Args:
            source: string, `[lines]`.
        """
        found = self._search.run(self._read(source), self._options.n_best)
        return found._asdict()

    @_graph(_STRINGS, _STRINGS)
    def score(self, source: tf.Tensor, target: tf.Tensor) -> dict[str, tf.Tensor]:
        """Scores given translations; nothing is cut, unknown words count as `<unk>`.

        Args:
            source: string, `[lines]`.
            target: string, `[lines]`.

        Returns:
            log_prob: float32, `[lines]`, nats; the end of sentence included.
            token_log_probs: float32, `[lines, target_len]`; 0 after the end.
            length: int32, `[lines]`: tokens, end of sentence included.
        """
        sources, targets = self._pair(source, target)
        lengths = targets.lengths + 1
        empty = tf.zeros([tf.size(lengths), _longest(lengths)])

        def score(rows: tf.Tensor) -> tf.Tensor:
            found = self._ensemble.forced_decoding(
                source_batch(tf.gather(sources.ids, rows), reverse=False),
                target_batch(tf.gather(targets.ids, rows)),
            )
            return _widened(found.log_probs, [tf.shape(empty)[1]])

        found = in_batches(
            score, tf.maximum(sources.lengths + 1, lengths), empty, self._batch_size
        )
        # As in translation: a blank line has the empty translation for certain.
        is_blank = (sources.lengths == 0) & (targets.lengths == 0)
        found = tf.where(is_blank[:, tf.newaxis], 0.0, found)
        return {
            "log_prob": tf.reduce_sum(found, axis=1),
            "token_log_probs": found,
            "length": lengths,
        }

    @_graph(_STRINGS)
    def encode(self, source: tf.Tensor) -> dict[str, tf.Tensor]:
        """Returns what lines are as vectors.

        Args:
            source: string, `[lines]`.

        Returns:
            vector: float32, `[lines, size]`; see `Ensemble.sentence_vectors`.
        """
        lines = self._read(source)

        def encode(rows: tf.Tensor) -> tf.Tensor:
            ids = source_batch(tf.gather(lines.ids, rows), reverse=False)
            return self._ensemble.sentence_vectors(ids)

        size = self._ensemble.sentence_vectors(tf.zeros([1, 1], tf.int32)).shape[1]
        empty = tf.zeros([tf.size(lines.lengths), size])
        # One more: blank lines have vectors, too.
        found = in_batches(encode, lines.lengths + 1, empty, self._batch_size)
        return {"vector": found}

    def _align(self, source: tf.Tensor, target: tf.Tensor) -> dict[str, tf.Tensor]:
        """Tells where each token of given translations looked.

        Args:
            source: string, `[lines]`.
            target: string, `[lines]`.

        Returns:
            alignments: float32, `[lines, target_len, source_len]`: rows sum to one up
                to the end of the target, the last column of a line is its source's end.
            source_tokens: string, `[lines, source_len]`; empty at and after the end.
            target_tokens: string, `[lines, target_len]`, likewise.
        """
        with self._weights_in_scope():
            sources, targets = self._pair(source, target)
            lengths = sources.lengths + 1, targets.lengths + 1
            sizes = [_longest(each) for each in lengths]
            empty = tf.zeros([tf.size(lengths[0]), sizes[1], sizes[0]])

            def align(rows: tf.Tensor) -> tf.Tensor:
                found = self._ensemble.forced_decoding(
                    source_batch(tf.gather(sources.ids, rows), reverse=False),
                    target_batch(tf.gather(targets.ids, rows)),
                )
                return _widened(found.alignments, [sizes[1], sizes[0]])

            return {
                "alignments": in_batches(
                    align, tf.maximum(*lengths), empty, self._batch_size
                ),
                "source_tokens": _with_end(sources.tokens),
                "target_tokens": _with_end(targets.tokens),
            }

    def _weights_in_scope(self) -> contextlib.AbstractContextManager[Any]:
        return self.compressed.scope() if self.compressed else contextlib.nullcontext()

    @property
    def _batch_size(self) -> int:
        assert self._options.batch_size is not None
        return self._options.batch_size

    def _read(self, source: tf.Tensor) -> Lines:
        assert self._options.max_source_length is not None
        return read_lines(self._source_codec, source, self._options.max_source_length)

    def _pair(self, source: tf.Tensor, target: tf.Tensor) -> tuple[Lines, Lines]:
        tf.debugging.assert_equal(
            tf.size(source),
            tf.size(target),
            "there must be as many targets as sources",
        )
        return (
            read_lines(self._source_codec, source),
            read_lines(self._target_codec, target),
        )


def _longest(lengths: tf.Tensor) -> tf.Tensor:
    """Returns the largest of some lengths, which there may be none of."""
    return tf.reduce_max(tf.concat([lengths, [0]], axis=0))


def _widened(values: tf.Tensor, sizes: list[Any]) -> tf.Tensor:
    """Adds zeros after the values of all axes but the first."""
    missing = tf.stack(sizes) - tf.shape(values)[1:]
    paddings = tf.stack([tf.zeros_like(missing), missing], axis=1)
    return tf.pad(values, tf.concat([[[0, 0]], paddings], axis=0))


def _with_end(tokens: tf.RaggedTensor) -> tf.Tensor:
    """Returns tokens with an empty one after them, which stands for the end."""
    ends = tf.fill([tokens.nrows(), 1], "")
    return tf.concat([tokens, ends], axis=1).to_tensor()
