"""Scores that are done, kept beside the output until all of it is there."""

import dataclasses
import fcntl
import hashlib
import json
import os
import pathlib
from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import Any, BinaryIO

from absl import logging

from nmt.decoding import ListScores
from nmt.errors import UserError

# Digits after the point: what nmt-decode prints.
DIGITS = 6
_BLOCK = 1 << 20


@dataclasses.dataclass(frozen=True)
class ScoredList:
    """The scores of the hypotheses of one list.

    Attributes:
        id: Of the list.
        log_probs: Nats, to six digits after the point: a row a model, a number a
            hypothesis.
        unknown_words: Words of each hypothesis that the models do not know.
        steps: Steps of a decoder that were made.
        words: Words and ends of sentence: the steps without shared prefixes.
    """

    id: int
    log_probs: tuple[tuple[float, ...], ...]
    unknown_words: tuple[int, ...]
    steps: int
    words: int

    @classmethod
    def of(cls, number: int, scores: ListScores) -> "ScoredList":
        """Rounds what a scorer found for the list with this id."""
        # Adding zero makes 0 of what would be -0.
        rows = scores.log_probs.T.round(DIGITS) + 0.0
        return cls(
            number,
            tuple(map(tuple, rows.tolist())),
            tuple(scores.unknown_words.tolist()),
            scores.steps,
            scores.words,
        )


class Journal:
    """A file of scored lists that only grows; what a stop left of a line is cut off.

    A journal belongs to one rescoring: the models, the source, the lists. One of
    another rescoring is begun anew. Use as a context manager, at the end of which a
    journal without lists is deleted.

    Attributes:
        path: The file.
        done: Lists in it.

    Args:
        path: The file; it need not exist.
        about: What the rescoring is, as JSON has it.

    Raises:
        UserError: the file cannot be made there, is there and no journal, or another
            process is writing it.
    """

    def __init__(self, path: pathlib.Path, about: Mapping[str, Any]) -> None:
        self.path = path
        self.done = 0
        self._header = json.dumps(about, sort_keys=True).encode() + b"\n"
        try:
            self._file: BinaryIO = open(path, "a+b")  # noqa: SIM115 (see __exit__)
        except OSError as error:
            raise UserError(f"{path}: cannot be written: {error.strerror}") from error
        try:
            self._lock()
            self._resume()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> "Journal":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not self.done:
            self.remove()
        self._file.close()

    def append(self, scored: ScoredList) -> None:
        """Adds the next list, which is kept even if the program is killed."""
        line = json.dumps(dataclasses.asdict(scored), separators=(",", ":"))
        self._file.write(line.encode() + b"\n")
        self._file.flush()
        self.done += 1

    def read(self) -> Iterator[ScoredList]:
        """Yields all lists, the first one first."""
        with open(self.path, "rb") as lines:
            next(lines)
            for line in lines:
                yield _parse(line)

    def remove(self) -> None:
        """Deletes the file: what it was for is done."""
        self.path.unlink(missing_ok=True)

    def _check_ours(self, header: bytes) -> None:
        """Refuses a file that no rescoring has begun."""
        try:
            is_ours = "models" in json.loads(header)
        except (ValueError, TypeError):
            is_ours = False
        # A stop may have left a part of the first line.
        if not (is_ours or self._header.startswith(header)):
            raise UserError(
                f"{self.path}: is no file of scores; move it, or choose another output"
            )

    def _lock(self) -> None:
        """Keeps other processes out until the file is closed."""
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise UserError(
                f"{self.path}: another nmt-rescore is writing this output; wait for it"
            ) from error

    def _resume(self) -> None:
        """Counts the lists that are there, and cuts off what is no whole line."""
        self._file.seek(0)
        header, end = self._file.readline(), len(self._header)
        if header != self._header:
            if header:
                self._check_ours(header)
                logging.warning("%s is of another rescoring: begun anew", self.path)
            self._file.truncate(0)
            self._file.write(self._header)
            self._file.flush()
            return
        for line in self._file:
            try:
                _parse(line)
            except (ValueError, TypeError, LookupError):
                break
            if not line.endswith(b"\n"):
                break
            self.done += 1
            end += len(line)
        self._file.truncate(end)
        self._file.seek(0, os.SEEK_END)


def digest(*paths: str | pathlib.Path) -> str:
    """Returns a fingerprint of the contents of files, one after the other."""
    total = hashlib.sha256()
    for path in paths:
        one = hashlib.sha256()
        with open(path, "rb") as raw:
            while block := raw.read(_BLOCK):
                one.update(block)
        total.update(one.digest())
    return total.hexdigest()


def _parse(line: bytes) -> ScoredList:
    content = json.loads(line)
    content["log_probs"] = tuple(map(tuple, content["log_probs"]))
    content["unknown_words"] = tuple(content["unknown_words"])
    return ScoredList(**content)
