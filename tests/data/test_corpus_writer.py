"""What is written is what the text says, however it is cut into chunks."""

import pathlib
from collections.abc import Callable

import numpy as np
import pytest

import nmt.data.corpus_writer
from nmt.data.corpus import Corpus
from nmt.data.drops import Dropped, LengthLimits

Build = Callable[..., Corpus]

SOURCE = ["a b c", "b", " ", "c c a b", "a", "a\u2028b", "b a", "\u00a0"]
TARGET = ["b", "a b", "c", "b b b", "c a", "c\x1c", "", "a"]
LIMITS = LengthLimits(source=3, target=3)


def lines(corpus: Corpus, side: str, rows: np.ndarray) -> list[list[int]]:
    sentences = getattr(corpus, side).read(rows)
    cuts = np.cumsum(sentences.lengths)[:-1]
    return [ids.tolist() for ids in np.split(sentences.ids, cuts)]


def test_ids_are_those_of_the_codec(
    build: Build, word_codec: Callable[[list[str]], object]
) -> None:
    corpus = build(SOURCE, TARGET)
    codec = word_codec(["a b c", *SOURCE])
    expected = codec.encode(SOURCE).to_list()
    assert lines(corpus, "source", np.arange(8)) == expected


def test_every_pair_is_kept_without_limits(build: Build) -> None:
    corpus = build(SOURCE, TARGET)
    assert corpus.line_numbers.tolist() == list(range(1, 9))
    assert corpus.statistics.dropped == ()


def test_empty_and_long_pairs_are_dropped_from_training(build: Build) -> None:
    corpus = build(SOURCE, TARGET, LIMITS)
    assert corpus.line_numbers.tolist() == [1, 2, 5, 6]
    assert corpus.statistics.dropped == (
        Dropped("empty source", 2, (3, 8)),
        Dropped("empty target", 1, (7,)),
        Dropped("source over 3 tokens", 1, (4,)),
    )


def test_statistics_are_of_the_whole_text(build: Build) -> None:
    statistics = build(SOURCE, TARGET, LIMITS).statistics
    assert (statistics.source.lines, statistics.source.tokens) == (8, 12)
    assert (statistics.target.lines, statistics.target.tokens) == (8, 11)


@pytest.mark.parametrize("size", [1, 3, 8])
def test_chunks_leave_no_trace(
    build: Build, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    whole = build(SOURCE, TARGET, LIMITS, name="whole")
    monkeypatch.setattr(nmt.data.corpus_writer, "LINES_PER_CALL", size)
    chunked = build(SOURCE, TARGET, LIMITS, name="chunked")
    assert chunked.folder != whole.folder
    for file in sorted(whole.folder.iterdir()):
        assert (
            pathlib.Path(chunked.folder / file.name).read_bytes() == file.read_bytes()
        )
