"""From lines of text to their translations, with trained models."""

import itertools
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np
import tensorflow as tf

from nmt.data.pipeline import source_batch
from nmt.data.text import in_chunks
from nmt.data.vocabulary import PAD_ID
from nmt.decoding.batches import length_limits, plan_batches
from nmt.decoding.ensemble import Ensemble
from nmt.decoding.reading import Reader
from nmt.decoding.searcher import Searcher, Ways
from nmt.decoding.translation import BLANK, BLANK_ALIGNED, Translation
from nmt.decoding.translation_options import TranslationOptions
from nmt.errors import UserError
from nmt.models.run_folder import LoadedModel

# Batches of lines that are sorted by length together.
_BATCHES_A_CHUNK = 64


class Translator:
    """Translates lines with a model or several; weights may change between calls.

    Args:
        models: A model with its codecs and settings, or an ensemble of them. What the
            options leave open is as the settings of the first model say.

    Raises:
        UserError: the models make no ensemble.
    """

    def __init__(self, models: LoadedModel | Ensemble) -> None:
        ensemble = models if isinstance(models, Ensemble) else Ensemble([models])
        first = ensemble.members[0]
        self._config = first.config
        self._source_codec, self._target_codec = first.source_codec, first.target_codec
        self._searcher = Searcher(ensemble)
        self._reader = Reader(first.target_codec, self._searcher)

    @property
    def attends(self) -> bool:
        """Whether a model tells what it looks at."""
        return self._searcher.attends

    def translate(
        self,
        lines: Iterable[str],
        options: TranslationOptions | None = None,
        progress: Callable[[int], None] = lambda done: None,
        prefixes: Iterable[str] | None = None,
        lines_before: int = 0,
    ) -> Iterator[Translation]:
        """Translates each line by itself, in order.

        Lines are read in chunks of 64 batches and batched by length inside them; with a
        `batch_size` of 1 each line is answered before the next one is read. What a line
        becomes does not depend on the others.

        Args:
            lines: Source text.
            options: How to translate.
            progress: Is told the number of lines done, after every batch.
            prefixes: What each translation begins with, a line a line of the source.
            lines_before: Lines of the file before the first of these, for messages.

        Returns:
            Iterator over one translation a line, blank lines included. It raises
            `UserError` where the model's probabilities are not finite, at a long line
            that is to be refused, and where there are more lines than prefixes or
            fewer.

        Raises:
            UserError: an option makes no sense, or no model can do it.
        """
        resolved = (options or TranslationOptions()).resolved(self._config)
        if not self._searcher.attends:
            resolved.check_without_attention()
        pairs = _with_prefixes(lines, prefixes, lines_before)
        return self._stream(pairs, resolved, progress, lines_before)

    def _stream(
        self,
        pairs: Iterable[tuple[str, str]],
        options: TranslationOptions,
        progress: Callable[[int], None],
        lines_before: int,
    ) -> Iterator[Translation]:
        assert options.batch_size is not None
        many = options.batch_size > 1
        chunk_size = options.batch_size * _BATCHES_A_CHUNK if many else 1
        blank = BLANK_ALIGNED if options.alignments else BLANK
        done = 0
        for chunk in in_chunks(pairs, chunk_size):
            encoded = self._encode(chunk, options, lines_before + done)
            made: dict[int, Translation] = {}
            for places in plan_batches(encoded.read_lengths, options.batch_size):
                batch = self._translate(encoded, places, options)
                made |= zip(places.tolist(), batch, strict=True)
                progress(done + len(made))
            done += len(chunk)
            progress(done)
            yield from (made.get(place, blank) for place in range(len(chunk)))

    def _encode(
        self, pairs: list[tuple[str, str]], options: TranslationOptions, before: int
    ) -> "_Encoded":
        lines, prefixes = (list(each) for each in zip(*pairs, strict=True))
        ids = self._source_codec.encode(tf.constant(lines))
        lengths = ids.row_lengths().numpy()
        is_long = lengths > options.max_source_length
        if options.long_lines == "refuse" and np.any(is_long):
            place = int(np.flatnonzero(is_long)[0])
            raise UserError(
                f"line {before + place + 1} of the input has {lengths[place]:,} tokens,"
                f" more than {options.max_source_length:,}; shorten it, or choose "
                "long_lines cut or translate"
            )
        if options.long_lines == "cut":
            ids = ids[:, : options.max_source_length]
        prefix_ids = None
        read_lengths = ids.row_lengths().numpy()
        limits = length_limits(read_lengths, self._config.decoding)
        if any(prefixes):
            prefix_ids = self._target_codec.encode(tf.constant(prefixes))
            # The end of sentence, too, must find room.
            limits = np.maximum(limits, prefix_ids.row_lengths().numpy() + 1)
        tokens = self._source_codec.tokenizer.tokenize(tf.constant(lines))
        return _Encoded(
            lines,
            ids,
            [tuple(map(bytes.decode, row)) for row in tokens.to_list()],
            lengths,
            read_lengths,
            is_long,
            limits.astype(np.int32),
            prefix_ids,
        )

    def _translate(
        self, encoded: "_Encoded", places: np.ndarray, options: TranslationOptions
    ) -> list[Translation]:
        """Translates the lines at these places as one batch."""
        assert options.beam_size is not None
        ways = Ways(options.beam_size, options.n_best, options.search)
        ids = tf.gather(encoded.ids, places)
        source = source_batch(ids, reverse=False)
        prefix = None
        if encoded.prefix_ids is not None:
            prefix = tf.gather(encoded.prefix_ids, places).to_tensor(PAD_ID)
        found = self._searcher.search(
            source,
            tf.constant(encoded.limits[places]),
            tf.constant([_sample_key(row) for row in ids.to_list()], tf.int32),
            prefix,
            ways,
        )
        sources = [encoded.source(place) for place in places]
        n_best = self._reader.read(found, source, sources, options)
        for place, hypotheses in zip(places, n_best, strict=True):
            if not hypotheses:
                raise UserError(
                    "the model has no finite probabilities for "
                    f"{encoded.lines[place][:80]!r}: its training has diverged"
                )
        return [
            Translation(
                source_tokens,
                hypotheses,
                int(encoded.lengths[place]),
                bool(encoded.is_long[place]),
            )
            for place, source_tokens, hypotheses in zip(
                places, sources, n_best, strict=True
            )
        ]


class _Encoded(NamedTuple):
    """A chunk of lines as the search needs them.

    Attributes:
        lines: The text.
        ids: int32, `[lines, (tokens)]`, as many as are read.
        tokens: As they stand in the text, all of them.
        lengths: Tokens of the whole lines.
        read_lengths: Tokens that are read.
        is_long: Whether they are more than allowed.
        limits: int32, most tokens of the translation.
        prefix_ids: int32, `[lines, (tokens)]`; None: no line has a prefix.
    """

    lines: list[str]
    ids: tf.RaggedTensor
    tokens: list[tuple[str, ...]]
    lengths: np.ndarray
    read_lengths: np.ndarray
    is_long: np.ndarray
    limits: np.ndarray
    prefix_ids: tf.RaggedTensor | None

    def source(self, place: int) -> tuple[str, ...]:
        """The tokens of a line that are read."""
        return self.tokens[place][: self.read_lengths[place]]


def _sample_key(ids: list[int]) -> int:
    """Returns what samples of a sentence are drawn by: nothing but the sentence."""
    key = zlib.crc32(np.array(ids, "<i4").tobytes())
    return key - (1 << 32) if key >= 1 << 31 else key


def _with_prefixes(
    lines: Iterable[str], prefixes: Iterable[str] | None, lines_before: int
) -> Iterator[tuple[str, str]]:
    if prefixes is None:
        yield from ((line, "") for line in lines)
        return
    missing = object()
    for number, pair in enumerate(
        itertools.zip_longest(lines, prefixes, fillvalue=missing),
        start=lines_before + 1,
    ):
        if missing in pair:
            which = "source" if pair[0] is missing else "prefixes"
            raise UserError(
                f"the {which} end before line {number}; line n of one belongs to line "
                "n of the other"
            )
        yield pair  # type: ignore[misc]
