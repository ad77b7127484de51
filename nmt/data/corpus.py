"""Sentence pairs as ids on disk, of any number, read through memory maps.

A corpus folder holds, for each side, `SIDE.ids` (int32, all sentences one after the
other) and `SIDE.offsets` (int64, where each one starts, and the end), then `lines`
(int64, the line number of each pair), `corpus.json` (fingerprint and statistics) and
the text of the held-out pairs, `held_out.source` and `held_out.target`. All numbers are
little-endian. `nmt.data.corpus_builder` writes it.
"""

import json
import pathlib
from typing import NamedTuple

import numpy as np

from nmt.data.statistics import CorpusStatistics
from nmt.errors import UserError

IDS_TYPE = np.dtype("<i4")
OFFSETS_TYPE = np.dtype("<i8")


class Sentences(NamedTuple):
    """Some sentences of one side.

    Attributes:
        ids: int32, `[tokens]`, one sentence after the other.
        lengths: int64, `[sentences]`, in tokens.
    """

    ids: np.ndarray
    lengths: np.ndarray


class CorpusSide:
    """All sentences of one side, on disk.

    Args:
        folder: The corpus folder.
        side: `source` or `target`.
    """

    def __init__(self, folder: pathlib.Path, side: str) -> None:
        self._offsets = _memory_map(folder / f"{side}.offsets", OFFSETS_TYPE)
        self._ids = _memory_map(folder / f"{side}.ids", IDS_TYPE)
        if not len(self._offsets) or self._offsets[-1] != len(self._ids):
            raise UserError(_damaged(folder))

    def __len__(self) -> int:
        """Number of sentences."""
        return len(self._offsets) - 1

    @property
    def tokens(self) -> int:
        """Number of tokens of all sentences, ends of sentences not counted."""
        return len(self._ids)

    def lengths(self, rows: np.ndarray) -> np.ndarray:
        """Returns the tokens of each sentence, its end not counted.

        Args:
            rows: int, `[sentences]`.

        Returns:
            int64, `[sentences]`.
        """
        return self._offsets[rows + 1] - self._offsets[rows]

    def read(self, rows: np.ndarray) -> Sentences:
        """Reads sentences in the order asked for.

        Args:
            rows: int, `[sentences]`.
        """
        lengths = self.lengths(rows)
        # The place of each id: where its sentence starts plus its position there.
        ends = np.cumsum(lengths)
        starts = np.repeat(self._offsets[rows] - (ends - lengths), lengths)
        return Sentences(self._ids[starts + np.arange(len(starts))], lengths)


class Corpus:
    """Sentence pairs of a text, encoded; row i of both sides is one pair.

    Attributes:
        folder: Where it lies.
        fingerprint: Equal for the same pairs, encoded the same way.
        source: The source sentences.
        target: The target sentences.
        line_numbers: int64, `[pairs]`; the line of the text that each pair comes from.
        statistics: What was seen when the text was encoded.
        held_out_rows: int64; rows kept for validation, ascending.

    Args:
        folder: A corpus folder.

    Raises:
        UserError: there is none, or it is damaged.
    """

    def __init__(self, folder: pathlib.Path) -> None:
        try:
            values = json.loads((folder / "corpus.json").read_text(encoding="utf-8"))
            self.fingerprint = str(values["fingerprint"])
            self.statistics = CorpusStatistics.from_dict(values["statistics"])
            held_out = int(values["held_out"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise UserError(f"{folder}: no corpus: {error}") from error
        self.folder = folder
        self.source = CorpusSide(folder, "source")
        self.target = CorpusSide(folder, "target")
        self.line_numbers = _memory_map(folder / "lines", OFFSETS_TYPE)
        self.held_out_rows = held_out_rows(len(self), held_out)
        if not len(self.source) == len(self.target) == len(self.line_numbers):
            raise UserError(_damaged(folder))

    def __len__(self) -> int:
        """Number of pairs, held-out ones included."""
        return len(self.source)

    @property
    def rows(self) -> np.ndarray:
        """int64, all rows but the held-out ones, ascending."""
        return np.delete(np.arange(len(self)), self.held_out_rows)

    @property
    def held_out_source(self) -> str:
        """Path of the text of the held-out source sentences."""
        return str(self.folder / "held_out.source")

    @property
    def held_out_target(self) -> str:
        """Path of the text of the held-out target sentences."""
        return str(self.folder / "held_out.target")


def held_out_rows(pairs: int, wanted: int) -> np.ndarray:
    """Chooses pairs for validation, spread evenly over a corpus.

    The choice depends on the two numbers alone, so that every run holds out the same
    pairs. At most a tenth of the pairs is taken.

    Args:
        pairs: Pairs of the corpus.
        wanted: Pairs to hold out.

    Returns:
        int64, `[held out]`, ascending.

    Example:
        >>> held_out_rows(100, 4).tolist()
        [12, 37, 62, 87]
    """
    count = min(wanted, pairs // 10)
    return (2 * np.arange(count) + 1) * pairs // max(2 * count, 1)


def _memory_map(path: pathlib.Path, kind: np.dtype) -> np.ndarray:
    try:
        if path.stat().st_size == 0:  # which cannot be mapped
            return np.zeros(0, kind)
        return np.memmap(path, kind, mode="r")
    except (OSError, ValueError) as error:
        raise UserError(_damaged(path.parent)) from error


def _damaged(folder: pathlib.Path) -> str:
    return f"{folder}: damaged corpus; delete the folder to have it made anew"
