"""Encodes parallel text into a corpus folder, a chunk of lines at a time."""

import contextlib
import dataclasses
import hashlib
import itertools
import json
import pathlib
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import BinaryIO, NamedTuple

import numpy as np
import tensorflow as tf

from nmt.data.codec import TextCodec
from nmt.data.corpus import IDS_TYPE, OFFSETS_TYPE, Corpus, Sentences
from nmt.data.statistics import CorpusStatistics, DropCounter, Dropped, SideCounter
from nmt.data.text import (
    LINES_PER_CALL,
    Progress,
    in_chunks,
    open_output,
    read_lines,
    replace_file,
)
from nmt.errors import UserError

# Part of the fingerprint: raise it when the files or the rules of encoding change.
_FORMAT = 1


class LengthLimits(NamedTuple):
    """Most tokens of a training pair, ends of sentences not counted."""

    source: int
    target: int


class ParallelText(NamedTuple):
    """Two text files, line n of one the translation of line n of the other, and codecs.

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


def build_corpus(
    folder: pathlib.Path,
    text: ParallelText,
    limits: LengthLimits | None,
    held_out: int,
    progress: Progress,
) -> Corpus:
    """Encodes a text into `folder`, or opens what is there if it is of the same text.

    Memory stays bounded, whatever the text's size. The folder appears whole: an
    interrupted build leaves the earlier one, or none.

    Args:
        folder: The corpus folder; replaced when text, codecs or settings have changed.
        text: What to encode.
        limits: Pairs with an empty side or with a longer side than this are dropped,
            for training; None keeps every pair, for evaluation.
        held_out: Pairs to hold out for validation; at most a tenth is taken.
        progress: Called as the text is encoded.

    Raises:
        UserError: a file cannot be read, is not UTF-8 or is standard input, the files
            have different numbers of lines, or no pair is left.
    """
    fingerprint = _fingerprint(text, limits, held_out)
    if not _is_built(folder, fingerprint):
        unfinished = folder.with_name(f"{folder.name}.tmp")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        try:
            statistics = _encode(unfinished, text, limits, progress)
            _describe(unfinished, fingerprint, statistics, held_out)
            _write_held_out(Corpus(unfinished), text)
            shutil.rmtree(folder, ignore_errors=True)
            unfinished.rename(folder)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
    return Corpus(folder)


def _fingerprint(text: ParallelText, limits: LengthLimits | None, held_out: int) -> str:
    settings = [_FORMAT, limits, held_out]
    digests = [
        _file_digest(text.source_path),
        _file_digest(text.target_path),
        text.source_codec.digest(),
        text.target_codec.digest(),
    ]
    return hashlib.sha256(json.dumps([settings, digests]).encode()).hexdigest()


def _file_digest(path: str) -> str:
    if path == "-":
        raise UserError("-: the text is read more than once; give a file")
    digest = hashlib.sha256()
    try:
        with open(path, "rb") as raw:
            while block := raw.read(1 << 20):
                digest.update(block)
    except FileNotFoundError as error:
        raise UserError(f"{path}: no such file") from error
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error}") from error
    return digest.hexdigest()


def _is_built(folder: pathlib.Path, fingerprint: str) -> bool:
    try:
        values = json.loads((folder / "corpus.json").read_text(encoding="utf-8"))
        Corpus(folder)
    except (OSError, ValueError, UserError):
        return False
    return bool(values["fingerprint"] == fingerprint)


def _encode(
    folder: pathlib.Path,
    text: ParallelText,
    limits: LengthLimits | None,
    progress: Progress,
) -> CorpusStatistics:
    counters = SideCounter(text.source_path), SideCounter(text.target_path)
    codecs = text.source_codec, text.target_codec
    drops = _Drops(limits)
    done = 0
    with contextlib.ExitStack() as stack:

        def appended(name: str) -> BinaryIO:
            return stack.enter_context(open(folder / name, "wb"))

        writers = [
            _SideWriter(appended(f"{side}.ids"), appended(f"{side}.offsets"))
            for side in ("source", "target")
        ]
        lines = appended("lines")
        # TensorFlow lets other threads run: the two sides use two cores.
        threads = stack.enter_context(ThreadPoolExecutor(2))
        for chunks in _paired_chunks(text):
            sides = list(threads.map(_encode_side, codecs, chunks, counters))
            kept = drops.kept(sides[0].lengths, sides[1].lengths, done + 1)
            for writer, side in zip(writers, sides, strict=True):
                writer.write(side, kept)
            (np.flatnonzero(kept) + done + 1).astype(OFFSETS_TYPE).tofile(lines)
            done += len(kept)
            progress(done, None)
    return CorpusStatistics(
        counters[0].statistics(), counters[1].statistics(), drops.statistics()
    )


def _paired_chunks(text: ParallelText) -> Iterator[tuple[list[str], list[str]]]:
    paths = text.source_path, text.target_path
    chunks = (in_chunks(read_lines(path), LINES_PER_CALL) for path in paths)
    for source, target in itertools.zip_longest(*chunks, fillvalue=[]):
        if len(source) != len(target):
            counts = [sum(1 for _ in read_lines(path)) for path in paths]
            raise UserError(
                f"{paths[0]} has {counts[0]} lines but {paths[1]} has {counts[1]}; "
                "line n of one must be the translation of line n of the other"
            )
        yield source, target


def _encode_side(codec: TextCodec, lines: list[str], counter: SideCounter) -> Sentences:
    ids, unknown_tokens = codec.encode_with_unknowns(tf.constant(lines))
    lengths = ids.row_lengths().numpy()
    counter.add(lengths, unknown_tokens)
    return Sentences(ids.flat_values.numpy(), lengths)


class _SideWriter:
    """Appends the sentences of one side to its two files."""

    def __init__(self, ids: BinaryIO, offsets: BinaryIO):
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


class _Drops:
    """Decides which pairs are kept and counts the others by reason."""

    def __init__(self, limits: LengthLimits | None):
        self._limits = limits
        reasons = ["empty source", "empty target"]
        if limits:
            reasons.append(f"source longer than {limits.source} tokens")
            reasons.append(f"target longer than {limits.target} tokens")
        self._counters = [DropCounter(reason) for reason in reasons]

    def kept(
        self, source: np.ndarray, target: np.ndarray, first_line: int
    ) -> np.ndarray:
        kept = np.ones(len(source), bool)
        if not self._limits:
            return kept
        tests = (
            source == 0,
            target == 0,
            source > self._limits.source,
            target > self._limits.target,
        )
        for counter, test in zip(self._counters, tests, strict=True):
            counter.add(kept & test, first_line)
            kept &= ~test
        return kept

    def statistics(self) -> tuple[Dropped, ...]:
        dropped = [counter.statistics() for counter in self._counters]
        return tuple(one for one in dropped if one.pairs)


def _describe(
    folder: pathlib.Path, fingerprint: str, statistics: CorpusStatistics, held_out: int
) -> None:
    values = {
        "fingerprint": fingerprint,
        "held_out": held_out,
        "statistics": dataclasses.asdict(statistics),
    }
    replace_file(folder / "corpus.json", json.dumps(values, indent=2) + "\n")


def _write_held_out(corpus: Corpus, text: ParallelText) -> None:
    numbers = set(corpus.line_numbers[corpus.held_out_rows].tolist())
    for path, copy in (
        (text.source_path, corpus.held_out_source),
        (text.target_path, corpus.held_out_target),
    ):
        with open_output(copy) as output:
            for number, line in enumerate(read_lines(path), start=1):
                if number in numbers:
                    output.write(line + "\n")
