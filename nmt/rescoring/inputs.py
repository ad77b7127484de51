"""The files that a rescoring reads: checked before the work, and read several times."""

import contextlib
import dataclasses
import itertools
import os
import pathlib
import tempfile
from collections.abc import Iterable, Iterator

from nmt.data.n_best import NBestList, read_n_best
from nmt.data.text import open_output, read_lines, read_whole_lines
from nmt.errors import UserError


@dataclasses.dataclass(frozen=True)
class Inputs:
    """Files that are known to be sound.

    Attributes:
        source: Path of the source lines.
        n_best: Path of the lists.
        reference: Path of what is right, a line a source line; empty: not known.
        sentences: Source lines.
        lists: Sentences that have a list.
        hypotheses: Of all lists.
        features: Names of features that any hypothesis has.
    """

    source: str
    n_best: str
    reference: str
    sentences: int
    lists: int
    hypotheses: int
    features: frozenset[str]

    def read_lists(self) -> Iterator[NBestList]:
        """Yields the lists, one at a time."""
        return read_n_best(self.n_best, self.sentences)


@contextlib.contextmanager
def open_inputs(source: str, n_best: str, reference: str = "") -> Iterator[Inputs]:
    """Reads all files to their ends; what can be read only once is copied.

    Args:
        source: Source lines; `-` is standard input, `.gz` is decompressed.
        n_best: Lists of hypotheses of these lines, likewise.
        reference: What is right, a line a source line; empty: not known.

    Raises:
        UserError: a file cannot be read, a line of the lists is bad, there are no
            lists, or there are not as many references as source lines.
    """
    given = {"source": source, "n_best": n_best, "reference": reference}
    named = {
        name: "standard input" if path == "-" else path for name, path in given.items()
    }
    with tempfile.TemporaryDirectory(prefix="nmt-rescore-") as folder:
        copies = pathlib.Path(folder)
        if not _can_be_read_again(source):
            source = _copy(read_whole_lines(source), copies / "source")
        sentences = sum(1 for _ in read_lines(source))
        if reference:
            if not _can_be_read_again(reference):
                reference = _copy(read_whole_lines(reference), copies / "reference")
            right = sum(1 for _ in read_lines(reference))
            if right != sentences:
                raise UserError(
                    f"{named['source']} has {sentences} lines but "
                    f"{named['reference']} has {right}; line n of one belongs to line "
                    "n of the other"
                )
        found = read_n_best(n_best, sentences)
        if not _can_be_read_again(n_best):
            n_best = _copy((each.text for each in found), copies / "n_best")
            found = read_n_best(n_best, sentences)
        features: set[str] = set()
        lists = hypotheses = 0
        for each in found:
            features.update(*(line.feature_names for line in each.lines))
            lists, hypotheses = lists + 1, hypotheses + len(each.lines)
        if not lists:
            raise UserError(f"{named['n_best']}: there are no hypotheses")
        yield Inputs(
            source, n_best, reference, sentences, lists, hypotheses, frozenset(features)
        )


def with_lines(
    lists: Iterable[NBestList], lines: Iterable[str]
) -> Iterator[tuple[NBestList, str]]:
    """Yields every list with the line that it belongs to; lines without are skipped.

    Args:
        lists: In ascending order of their ids.
        lines: Of all sentences.
    """
    remaining = iter(lines)
    read = 0
    for each in lists:
        yield each, next(itertools.islice(remaining, each.id - read, None))
        read = each.id + 1


def _can_be_read_again(path: str) -> bool:
    # What is not there is reported where it is read.
    return path != "-" and (os.path.isfile(path) or not os.path.exists(path))


def _copy(texts: Iterable[str], path: pathlib.Path) -> str:
    with open_output(str(path)) as copy:
        copy.writelines(texts)
    return str(path)
