r"""Text files as every part of the system reads and writes them.

A line ends at `\n` and nowhere else, so that all tools count the same lines: U+2028,
U+0085, form feed and a lone carriage return stay inside their line. `-` is standard
input or output, and a name that ends in `.gz` is compressed.
"""

import contextlib
import errno
import gzip
import io
import itertools
import os
import pathlib
import sys
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from typing import BinaryIO, TextIO, TypeVar

from nmt.errors import UserError

# Told the lines done and the lines in all, or None where that is not known.
ProgressCallback = Callable[[int, int | None], None]

# Lines that go through TensorFlow together: enough to hide the cost of a call.
LINES_PER_CALL = 8192

Line = TypeVar("Line")

_WRITERS = itertools.count()

# What a disk says that can take no more.
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

# May stand at the start of a file, and is no part of its text.
BYTE_ORDER_MARK = "\ufeff"


def read_lines(path: str) -> Iterator[str]:
    r"""Yields the lines of a text file, one at a time, without their ends.

    A final line without `\n` counts; nothing after a final `\n` does. One `\r` before
    the `\n` is dropped, so that a file from Windows equals its Unix copy, and so is a
    byte order mark at the start of the file.

    Args:
        path: File to read; `-` is standard input, `.gz` is decompressed.

    Yields:
        Each line as text. Lines before a bad one are yielded first.

    Raises:
        UserError: the file cannot be read, or a line is not UTF-8 (with its number).
    """
    with contextlib.closing(read_whole_lines(path)) as lines:
        for number, line in enumerate(lines):
            if number == 0:
                line = line.removeprefix(BYTE_ORDER_MARK)
            yield line.removesuffix("\n").removesuffix("\r")


def read_whole_lines(path: str) -> Generator[str, None, None]:
    """Yields the lines of a text file as they are: put together they are the file.

    Args:
        path: As for `read_lines`.

    Yields:
        Each line with its end, if it has one.

    Raises:
        UserError: as `read_lines`.
    """
    name = "standard input" if path == "-" else path
    with contextlib.closing(_raw_lines(path)) as lines:
        for number, line in enumerate(lines, start=1):
            try:
                yield line.decode()
            except UnicodeDecodeError as error:
                raise UserError(
                    f"{name}:{number}: invalid UTF-8 at byte {error.start + 1} of the "
                    "line; convert the file to UTF-8"
                ) from error


def count_pairs(source_path: str, target_path: str) -> int:
    """Counts the lines of a parallel text, without looking into them.

    Args:
        source_path: Source sentences.
        target_path: Their translations, line by line.

    Raises:
        UserError: the files differ in their numbers of lines, or cannot be read.
    """
    source, target = (
        sum(1 for _ in _raw_lines(path)) for path in (source_path, target_path)
    )
    if source != target:
        raise UserError(
            f"{source_path} has {source} lines but {target_path} has {target}; line n "
            "of one must be the translation of line n of the other"
        )
    return source


def in_chunks(lines: Iterable[Line], size: int) -> Iterator[list[Line]]:
    """Yields consecutive lists of `size` lines; the last one may be shorter.

    Example:
        >>> list(in_chunks(["a", "b", "c"], 2))
        [['a', 'b'], ['c']]
    """
    remaining = iter(lines)
    while chunk := list(itertools.islice(remaining, size)):
        yield chunk


@contextlib.contextmanager
def open_output(path: str) -> Iterator[TextIO]:
    r"""Opens a text file that appears whole, or, after an exception, not at all.

    What is written goes to a temporary name in the same folder and is renamed at the
    end. A device or a pipe, which cannot be renamed to, is written to directly.

    Args:
        path: File to write; `-` is standard output, `.gz` is compressed.

    Yields:
        A text file in UTF-8 that keeps `\n` as it is.

    Raises:
        UserError: the file cannot be made there.
    """
    if path == "-":
        sys.stdout.flush()
        try:
            with _as_text(sys.stdout.buffer) as text:
                yield text
        except OSError as error:
            if error.errno in _NO_ROOM:
                raise UserError(
                    f"standard output: cannot be written: {error.strerror}"
                ) from error
            raise
        return
    with _open_whole(path) as raw:
        if not path.endswith(".gz"):
            with _as_text(raw) as text:
                yield text
            return
        # No name and no time in the header: equal text gives equal bytes.
        with (
            gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as compressed,
            _as_text(compressed) as text,
        ):
            yield text


def replace_file(path: str | os.PathLike[str], content: bytes | str) -> None:
    """Writes a whole file: a reader sees the old content or the new, never a part.

    Args:
        path: File to make or to replace.
        content: Bytes, or text to be encoded as UTF-8.

    Raises:
        UserError: the file cannot be made there.
    """
    with _open_whole(os.fspath(path)) as raw:
        raw.write(content.encode() if isinstance(content, str) else content)


def check_outputs(outputs: Mapping[str, str], inputs: Mapping[str, str]) -> None:
    """Refuses to write a file that is read, or that is written twice.

    Args:
        outputs: Paths by the names that the user knows them by; the empty path is no
            file, and `-` is one only if standard output has been sent there.
        inputs: Likewise; `-` is none.

    Raises:
        UserError: two names, one of them an output, mean one file.
    """
    seen: dict[str, str] = {}
    named = [*inputs.items(), *outputs.items()]
    for place, (name, path) in enumerate(named):
        is_output = place >= len(inputs)
        if path == "" or (path == "-" and not is_output):
            continue
        # Standard output may have been sent to a file.
        real = os.path.realpath("/dev/stdout" if path == "-" else path)
        is_file = os.path.isfile(real) or not os.path.exists(real)
        if is_file and is_output and real in seen:
            raise UserError(
                f"{seen[real]} and {name} are both {path}: choose two files"
            )
        if is_file:
            seen[real] = name


def check_readable_again(path: str) -> None:
    """Refuses standard input and pipes, which are empty the second time.

    Raises:
        UserError: the path is one.
    """
    if path == "-" or (os.path.exists(path) and not os.path.isfile(path)):
        raise UserError(f"{path}: is read more than once; give a file")


def _raw_lines(path: str) -> Generator[bytes, None, None]:
    try:
        if path == "-":
            yield from sys.stdin.buffer
        elif path.endswith(".gz"):
            with gzip.open(path, "rb") as compressed:
                yield from compressed
        else:
            with open(path, "rb") as raw:
                yield from raw
    except FileNotFoundError as error:
        raise UserError(f"{path}: no such file") from error
    except (OSError, EOFError, zlib.error) as error:
        raise UserError(f"{path}: cannot be read: {error}") from error


@contextlib.contextmanager
def _open_whole(path: str) -> Iterator[BinaryIO]:
    given = pathlib.Path(path)
    if given.is_dir():
        raise UserError(f"{path}: is a folder; give the name of a file in it")
    is_device = given.exists() and not given.is_file()
    # The target of a symbolic link is replaced, not the link.
    final = given if is_device else given.resolve()
    # Two writers, even of one process and to one file, never share a name.
    unique = f"{os.getpid()}.{next(_WRITERS)}"
    written = final if is_device else final.with_name(f".{final.name}.{unique}")
    try:
        raw = open(written, "wb")  # noqa: SIM115 (closed below, before the rename)
    except OSError as error:
        raise UserError(f"{path}: cannot be written: {error.strerror}") from error
    try:
        with raw:
            yield raw
            if not is_device:
                raw.flush()
                os.fsync(raw.fileno())
        if not is_device:
            written.replace(final)
    except OSError as error:
        if error.errno in _NO_ROOM:
            raise UserError(f"{path}: cannot be written: {error.strerror}") from error
        raise
    finally:
        if not is_device:
            written.unlink(missing_ok=True)


@contextlib.contextmanager
def _as_text(raw: BinaryIO | gzip.GzipFile) -> Iterator[TextIO]:
    text = io.TextIOWrapper(raw, encoding="utf-8", newline="\n")
    try:
        yield text
        text.flush()
    finally:
        # `raw` belongs to the caller, who closes it.
        text.detach()
