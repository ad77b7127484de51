"""Encodes parallel text into the files of a corpus, a chunk of lines at a time."""

import contextlib
import pathlib
from concurrent.futures import ThreadPoolExecutor
from typing import BinaryIO, NamedTuple

import numpy as np
import tensorflow as tf

from nmt.data.codec import TextCodec
from nmt.data.corpus import IDS_TYPE, OFFSETS_TYPE, Sentences
from nmt.data.drops import DropRule, LengthLimits
from nmt.data.statistics import CorpusStatistics, SideCounter
from nmt.data.text import (
    LINES_PER_CALL,
    ProgressCallback,
    count_pairs,
    in_chunks,
    read_lines,
)


class ParallelText(NamedTuple):
    """Two text files, line n of one the translation of line n of the other.

    Attributes:
        source_path: Source sentences.
        target_path: Target sentences.
        source_codec: Encodes the source.
        target_codec: Encodes the target.
    """

    source_path: str
    target_path: str
    source_codec: TextCodec
    target_codec: TextCodec


def write_corpus(
    folder: pathlib.Path,
    text: ParallelText,
    limits: LengthLimits | None,
    progress: ProgressCallback,
) -> CorpusStatistics:
    """Writes the ids, the offsets and the line numbers of all pairs that are kept.

    Args:
        folder: An empty folder.
        text: What to encode.
        limits: Pairs with an empty or a longer side are dropped; None keeps every pair.
        progress: Called after every chunk.

    Returns:
        What was seen in the text.

    Raises:
        UserError: a file cannot be read or is not UTF-8, or the files have different
            numbers of lines.
    """
    pairs = count_pairs(text.source_path, text.target_path)
    codecs = text.source_codec, text.target_codec
    counters = SideCounter(text.source_path), SideCounter(text.target_path)
    rule = DropRule(limits) if limits else None
    done = 0
    with contextlib.ExitStack() as stack:

        def created(name: str) -> BinaryIO:
            return stack.enter_context(open(folder / name, "wb"))

        writers = [
            _SideWriter(created(f"{side}.ids"), created(f"{side}.offsets"))
            for side in ("source", "target")
        ]
        line_numbers = created("lines")
        # TensorFlow lets other threads run: the two sides take two cores.
        threads = stack.enter_context(ThreadPoolExecutor(2))
        for chunks in zip(
            in_chunks(read_lines(text.source_path), LINES_PER_CALL),
            in_chunks(read_lines(text.target_path), LINES_PER_CALL),
            strict=True,
        ):
            sides = list(threads.map(_encode, codecs, chunks, counters))
            lengths = [side.lengths for side in sides]
            kept = rule.kept(*lengths) if rule else np.ones(len(lengths[0]), bool)
            for writer, side in zip(writers, sides, strict=True):
                writer.write(side, kept)
            (np.flatnonzero(kept) + done + 1).astype(OFFSETS_TYPE).tofile(line_numbers)
            done += len(kept)
            progress(done, pairs)
    dropped = rule.dropped() if rule else ()
    return CorpusStatistics(counters[0].statistics(), counters[1].statistics(), dropped)


class _SideWriter:
    """Appends the sentences of one side to its two files."""

    def __init__(self, ids: BinaryIO, offsets: BinaryIO) -> None:
        self._ids = ids
        self._offsets = offsets
        self._end = 0
        np.zeros(1, OFFSETS_TYPE).tofile(offsets)

    def write(self, sentences: Sentences, kept: np.ndarray) -> None:
        ids = sentences.ids[np.repeat(kept, sentences.lengths)]
        ends = self._end + np.cumsum(sentences.lengths[kept])
        ids.astype(IDS_TYPE).tofile(self._ids)
        ends.astype(OFFSETS_TYPE).tofile(self._offsets)
        self._end += len(ids)


def _encode(codec: TextCodec, lines: list[str], counter: SideCounter) -> Sentences:
    ids, unknown_tokens = codec.encode_with_unknowns(tf.constant(lines))
    lengths = ids.row_lengths().numpy()
    counter.add(lengths, unknown_tokens)
    return Sentences(ids.flat_values.numpy(), lengths)
