"""Translates a file with a trained model: what `nmt-decode` does."""

import contextlib
import dataclasses
import os
import sys
from collections.abc import Callable, Iterator

from absl import logging

from nmt.config import Config
from nmt.data.text import open_output, read_lines
from nmt.decoding.beam_search import check_n_best
from nmt.decoding.formats import FORMATS
from nmt.decoding.translation import DecodingReport
from nmt.decoding.translator import Translator
from nmt.distribution import allow_memory_growth
from nmt.errors import UserError
from nmt.models.run_folder import RunFolder
from nmt.progress import Progress


@dataclasses.dataclass(frozen=True)
class DecodingRequest:
    """What is to be translated, and how.

    Attributes:
        run_dir: Folder of the training.
        checkpoint: `best`, `last` or `average`.
        input: Text to translate, a sentence a line; `-` is standard input.
        output: Where the translations go; `-` is standard output.
        format: A name in `FORMATS`.
        n_best: Hypotheses written a line.
        beam_size: Hypotheses searched a line; None: as the run folder says.
        length_penalty: Its alpha, see `length_penalty`; None: as the run folder says.
        batch_size: Lines searched together; None: one if they are typed, else as the
            run folder says.
    """

    run_dir: str
    checkpoint: str = "best"
    input: str = "-"
    output: str = "-"
    format: str = "text"
    n_best: int = 1
    beam_size: int | None = None
    length_penalty: float | None = None
    batch_size: int | None = None


def decode_file(request: DecodingRequest) -> DecodingReport:
    """Translates every line of the input; blank lines become empty ones.

    The output file appears whole or not at all; standard output gets each line as soon
    as it is there. How many lines were blank or cut is logged at the end.

    Raises:
        UserError: a file or the run folder cannot be used, or the request makes no
            sense; found out before the model is loaded where that is possible.
    """
    request = _resolve(request)
    # A training may be running on the same GPU.
    allow_memory_growth()
    lines = _count_lines(request.input)
    with open_output(request.output) as output:
        translator = Translator(
            RunFolder(request.run_dir).load_model(request.checkpoint)
        )
        logging.info(
            "%s, %s weights: beam of %d, length penalty %g, batches of %d",
            request.run_dir,
            request.checkpoint,
            request.beam_size,
            request.length_penalty,
            request.batch_size,
        )
        report = DecodingReport()
        with _progress(request, lines) as progress:
            for translation in translator.translate(
                read_lines(request.input),
                beam_size=request.beam_size,
                n_best=request.n_best,
                batch_size=request.batch_size,
                progress=progress,
                alpha=request.length_penalty,
            ):
                output.write(FORMATS[request.format](report.sentences, translation))
                output.flush()
                report.add(translation)
    log = logging.warning if report.unfinished.count else logging.info
    log("%s", report.text())
    return report


def _resolve(request: DecodingRequest) -> DecodingRequest:
    """Fills in what the run folder says, and refuses what makes no sense."""
    if request.format not in FORMATS:
        raise UserError(f"format {request.format!r}: choose {', '.join(FORMATS)}")
    if request.format == "text" and request.n_best > 1:
        raise UserError(f"n_best {request.n_best} needs --format=moses")
    defaults = Config.load(RunFolder(request.run_dir).config_file).decoding
    beam_size = request.beam_size or defaults.beam_size
    check_n_best(request.n_best, beam_size)
    # Whoever types a line waits for its translation before the next.
    typed = request.input == "-" and sys.stdin.isatty()
    batch_size = request.batch_size or (1 if typed else defaults.batch_size)
    alpha = request.length_penalty
    return dataclasses.replace(
        request,
        beam_size=beam_size,
        length_penalty=defaults.length_penalty if alpha is None else alpha,
        batch_size=batch_size,
    )


def _count_lines(path: str) -> int | None:
    """Returns the lines of a file, None for a pipe; bad UTF-8 shows before the work."""
    if path == "-" or (os.path.exists(path) and not os.path.isfile(path)):
        return None
    return sum(1 for _ in read_lines(path))


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
