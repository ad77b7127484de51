"""Makes the corpus folder of a parallel text, or finds that it is made already."""

import dataclasses
import hashlib
import json
import pathlib
import shutil

from nmt.data.corpus import Corpus
from nmt.data.corpus_writer import ParallelText, write_corpus
from nmt.data.drops import LengthLimits
from nmt.data.statistics import CorpusStatistics
from nmt.data.text import ProgressCallback, open_output, read_lines, replace_file
from nmt.errors import UserError

# Part of the fingerprint: raise it when the files or the rules of encoding change.
_FORMAT = 1


def build_corpus(
    folder: pathlib.Path,
    text: ParallelText,
    limits: LengthLimits | None,
    held_out: int,
    progress: ProgressCallback,
) -> Corpus:
    """Encodes a text into `folder`, or opens what is there if it is of the same text.

    Memory stays bounded, whatever the size of the text. The folder appears whole: an
    interrupted build leaves what was there before.

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
            statistics = write_corpus(unfinished, text, limits, progress)
            _describe(unfinished, fingerprint, statistics, held_out)
            _check_not_empty(Corpus(unfinished))
            _write_held_out(Corpus(unfinished), text)
            shutil.rmtree(folder, ignore_errors=True)
            unfinished.rename(folder)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
    return Corpus(folder)


def _fingerprint(text: ParallelText, limits: LengthLimits | None, held_out: int) -> str:
    parts = [
        _FORMAT,
        limits,
        held_out,
        _file_digest(text.source_path),
        _file_digest(text.target_path),
        text.source_codec.digest(),
        text.target_codec.digest(),
    ]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _file_digest(path: str) -> str:
    if path == "-":
        raise UserError("-: the text is read more than once; give a file")
    digest = hashlib.sha256()
    try:
        with open(path, "rb") as raw:
            while block := raw.read(1 << 20):
                digest.update(block)
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from error
    return digest.hexdigest()


def _is_built(folder: pathlib.Path, fingerprint: str) -> bool:
    try:
        return Corpus(folder).fingerprint == fingerprint
    except UserError:
        return False


def _describe(
    folder: pathlib.Path, fingerprint: str, statistics: CorpusStatistics, held_out: int
) -> None:
    values = {
        "fingerprint": fingerprint,
        "held_out": held_out,
        "statistics": dataclasses.asdict(statistics),
    }
    replace_file(folder / "corpus.json", json.dumps(values, indent=2) + "\n")


def _check_not_empty(corpus: Corpus) -> None:
    if len(corpus):
        return
    source, target = corpus.statistics.source, corpus.statistics.target
    reasons = [f"{one.pairs} with {one.reason}" for one in corpus.statistics.dropped]
    raise UserError(
        f"{source.path}, {target.path}: none of the {source.lines} pairs is left"
        + (f"; dropped: {', '.join(reasons)}" if reasons else "")
    )


def _write_held_out(corpus: Corpus, text: ParallelText) -> None:
    numbers = set(corpus.line_numbers[corpus.held_out_rows].tolist())
    for path, copy in (
        (text.source_path, corpus.held_out_source),
        (text.target_path, corpus.held_out_target),
    ):
        with open_output(copy) as output:
            for number, line in enumerate(read_lines(path) if numbers else (), start=1):
                if number in numbers:
                    output.write(line + "\n")
