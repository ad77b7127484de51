"""Translates a file with trained models: what `nmt-decode` does."""

import contextlib
import dataclasses
import itertools
import os
import sys
from collections.abc import Callable, Iterator
from typing import TextIO

from absl import logging

from nmt.data.text import open_output, read_lines
from nmt.decoding.formats import ALIGNMENT_FORMATS, FORMATS
from nmt.decoding.loading import load_ensemble
from nmt.decoding.report import DecodingReport
from nmt.decoding.request import DecodingRequest
from nmt.decoding.shard import Shard
from nmt.decoding.translation import Translation
from nmt.decoding.translator import Translator
from nmt.distribution import allow_memory_growth
from nmt.errors import UserError
from nmt.progress import Progress


@dataclasses.dataclass(frozen=True)
class _Part:
    """The lines of a file that are to be translated.

    Attributes:
        first: The first one, from 0.
        last: The one after the last; None: to the end.
    """

    first: int
    last: int | None

    def of(self, path: str) -> Iterator[str]:
        """Yields these lines of a file."""
        return itertools.islice(read_lines(path), self.first, self.last)

    @property
    def count(self) -> int | None:
        """How many lines; None where that is not known."""
        return None if self.last is None else self.last - self.first


def decode_file(request: DecodingRequest) -> DecodingReport:
    """Translates every line of the input; blank lines become empty ones.

    The output file appears whole or not at all; standard output gets each line as soon
    as it is there. How many lines were blank, long, cut or unfinished is logged at the
    end.

    Raises:
        UserError: a file or a run folder cannot be used, or the request makes no sense;
            found out before a model is loaded where that is possible.
    """
    request = request.resolved()
    # A training may be running on the same GPU.
    allow_memory_growth()
    part = _part(request)
    with _open_outputs(request) as write:
        translator = Translator(load_ensemble(request))
        logging.info("%s", request.text())
        report = DecodingReport(lines_before=part.first)
        options = request.options
        if request.format == "jsonl" and translator.attends:
            options = dataclasses.replace(options, alignments=True)
        with _progress(request, part.count) as progress:
            for translation in translator.translate(
                part.of(request.input),
                options,
                progress=progress,
                prefixes=part.of(request.prefix) if request.prefix else None,
                lines_before=part.first,
            ):
                write(part.first + report.sentences, translation)
                report.add(translation)
    log = logging.warning if report.has_losses else logging.info
    log("%s", report.text())
    return report


def _part(request: DecodingRequest) -> _Part:
    """Finds the lines to translate; bad UTF-8 shows before the work."""
    lines = _count_lines(request.input)
    prefixes = _count_lines(request.prefix) if request.prefix else lines
    if lines is not None and prefixes not in (None, lines):
        raise UserError(
            f"{request.input} has {lines} lines but {request.prefix} has {prefixes}; "
            "line n of one belongs to line n of the other"
        )
    if not request.shard:
        return _Part(0, lines)
    if lines is None:
        raise UserError(
            f"shard {request.shard} needs a file: the lines of {request.input} cannot "
            "be counted beforehand"
        )
    return _Part(*Shard.parse(request.shard).bounds(lines))


def _count_lines(path: str) -> int | None:
    if path == "-" or (os.path.exists(path) and not os.path.isfile(path)):
        return None
    return sum(1 for _ in read_lines(path))


@contextlib.contextmanager
def _open_outputs(
    request: DecodingRequest,
) -> Iterator[Callable[[int, Translation], None]]:
    """Yields what writes a translation, with its number, to the files asked for."""
    with contextlib.ExitStack() as files:
        output = files.enter_context(open_output(request.output))
        alignments: TextIO | None = None
        if request.alignments:
            alignments = files.enter_context(open_output(request.alignments))

        def write(number: int, translation: Translation) -> None:
            output.write(FORMATS[request.format](number, translation))
            output.flush()
            if alignments is None:
                return
            shown = 1 if request.format == "text" else len(translation.n_best)
            for hypothesis in translation.n_best[:shown]:
                align = ALIGNMENT_FORMATS[request.alignment_format]
                alignments.write(align(translation, hypothesis))
            alignments.flush()

        yield write


@contextlib.contextmanager
def _progress(
    request: DecodingRequest, lines: int | None
) -> Iterator[Callable[[int], None]]:
    """Yields what shows the progress, unless the lines themselves are on the screen."""
    if request.output == "-" and sys.stdout.isatty():
        yield lambda done: None
        return
    with Progress("translating", total=lines, unit="lines") as progress:
        yield progress.show
