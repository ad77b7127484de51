"""From lines of text to their translations, with a trained model."""

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np
import tensorflow as tf

from nmt.data.pipeline import source_batch
from nmt.data.text import in_chunks
from nmt.data.vocabulary import BOS_ID, EOS_ID, PAD_ID
from nmt.decoding.batches import length_limits, plan_batches
from nmt.decoding.beam_search import beam_search, check_n_best
from nmt.decoding.hypotheses import Hypotheses
from nmt.decoding.length_penalty import length_penalty
from nmt.decoding.search_options import SearchOptions
from nmt.decoding.translation import BLANK, Hypothesis, Translation
from nmt.errors import UserError
from nmt.models.run_folder import LoadedModel
from nmt.models.seq2seq import Seq2Seq

# Batches of lines that are sorted by length together.
_BATCHES_A_CHUNK = 64

# From source ids and length limits to hypotheses.
Search = Callable[[tf.Tensor, tf.Tensor], Hypotheses]


class Translator:
    """Translates lines with a model, whose weights may change between calls.

    Args:
        loaded: The model, its codecs and its settings.
    """

    def __init__(self, loaded: LoadedModel) -> None:
        self._loaded = loaded
        self._searches: dict[tuple[int, float], Search] = {}

    def translate(
        self,
        lines: Iterable[str],
        beam_size: int | None = None,
        n_best: int = 1,
        batch_size: int | None = None,
        progress: Callable[[int], None] = lambda done: None,
        alpha: float | None = None,
    ) -> Iterator[Translation]:
        """Translates each line by itself, in order.

        Lines are read in chunks of 64 batches and batched by length inside them; with a
        `batch_size` of 1 each line is answered before the next one is read. What a line
        becomes does not depend on the others.

        Args:
            lines: Source text.
            beam_size: Hypotheses searched a line; None: as the settings say.
            n_best: Hypotheses returned a line, at most `beam_size`.
            batch_size: Lines searched together; None: as the settings say.
            progress: Is told the number of lines done, after every batch.
            alpha: Of the length penalty; None: as the settings say.

        Returns:
            Iterator over one translation a line, blank lines included. It raises
            `UserError` where the model's probabilities are not finite.

        Raises:
            UserError: `n_best` exceeds the beam.
        """
        config = self._loaded.config.decoding
        beam_size = config.beam_size if beam_size is None else beam_size
        batch_size = config.batch_size if batch_size is None else batch_size
        alpha = config.length_penalty if alpha is None else alpha
        check_n_best(n_best, beam_size)
        ways = _Ways(beam_size, alpha, n_best)
        return self._stream(lines, ways, batch_size, progress)

    def _stream(
        self,
        lines: Iterable[str],
        ways: "_Ways",
        batch_size: int,
        progress: Callable[[int], None],
    ) -> Iterator[Translation]:
        chunk_size = batch_size * _BATCHES_A_CHUNK if batch_size > 1 else 1
        done = 0
        for chunk in in_chunks(lines, chunk_size):
            made: dict[int, Translation] = {}
            for batch in self._batches(chunk, ways, batch_size):
                made |= batch
                progress(done + len(made))
            done += len(chunk)
            progress(done)
            yield from (made.get(place, BLANK) for place in range(len(chunk)))

    def _batches(
        self, lines: list[str], ways: "_Ways", batch_size: int
    ) -> Iterator[dict[int, Translation]]:
        """Yields the translations of the lines that are not blank, by their place."""
        config = self._loaded.config
        ids = self._loaded.source_codec.encode(tf.constant(lines))
        lengths = ids.row_lengths().numpy()
        limits = length_limits(lengths, config.decoding)
        if ways[:2] not in self._searches:
            self._searches[ways[:2]] = make_search(self._loaded.model, *ways[:2])
        search = self._searches[ways[:2]]
        for places in plan_batches(lengths, batch_size):
            source = source_batch(tf.gather(ids, places), config.data.reverse_source)
            found = search(source, tf.constant(limits[places]))
            batch = {}
            for place, hypotheses in zip(
                places.tolist(), self._read(found, ways), strict=True
            ):
                if not hypotheses:
                    raise UserError(
                        "the model has no finite probabilities for "
                        f"{lines[place][:80]!r}: its training has diverged"
                    )
                batch[place] = Translation(int(lengths[place]), hypotheses)
            yield batch

    def _read(self, found: Hypotheses, ways: "_Ways") -> list[tuple[Hypothesis, ...]]:
        """Turns the best hypotheses of each sentence into text."""
        codec = self._loaded.target_codec
        ids, lengths, log_probs, finished = (
            part.numpy()[:, : ways.n_best] for part in found[:4]
        )
        is_hypothesis = log_probs > -np.inf
        ids = ids[is_hypothesis]
        # Without the end of sentence; int64, as a ragged tensor has it by default.
        lengths = (lengths - finished)[is_hypothesis].astype(np.int64)
        words = ids[np.arange(ids.shape[1]) < lengths[:, np.newaxis]]
        texts = codec.decode(tf.RaggedTensor.from_row_lengths(words, lengths)).numpy()
        read = (
            Hypothesis(
                text.decode(),
                tuple(codec.tokens(row[:length])),
                float(log_prob),
                bool(done),
                float(log_prob / length_penalty(length + done, ways.alpha)),
            )
            for text, row, length, log_prob, done in zip(
                texts,
                ids.tolist(),
                lengths.tolist(),
                log_probs[is_hypothesis],
                finished[is_hypothesis],
                strict=True,
            )
        )
        return [
            tuple(itertools.islice(read, count)) for count in is_hypothesis.sum(axis=1)
        ]


class _Ways(NamedTuple):
    """How lines are searched, and how much of it is returned."""

    beam_size: int
    alpha: float
    n_best: int


def make_search(model: Seq2Seq, beam_size: int, alpha: float = 0.0) -> Search:
    """Returns encoder and search as one graph for batches of every shape.

    Args:
        model: Any with `encode` and `step`.
        beam_size: Hypotheses a sentence.
        alpha: Of the length penalty.

    Returns:
        Function of source ids, int32, `[batch, source_len]`, and of the most tokens of
        each hypothesis, int32, `[batch]`.
    """

    @tf.function(
        input_signature=[
            tf.TensorSpec([None, None], tf.int32),
            tf.TensorSpec([None], tf.int32),
        ]
    )
    def search(source: tf.Tensor, max_lengths: tf.Tensor) -> Hypotheses:
        start = model.encode(source)
        return beam_search(
            model.step,
            start.state,
            max_lengths,
            beam_size,
            bos_id=BOS_ID,
            eos_id=EOS_ID,
            options=SearchOptions(forbidden_ids=(PAD_ID, BOS_ID), length_penalty=alpha),
            memory=start.memory,
        )

    return search
