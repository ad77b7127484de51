"""Small texts and corpora for the tests of the data package."""

import pathlib
from collections.abc import Callable, Sequence

import pytest
from hypothesis import settings

from nmt.data.codec import TextCodec
from nmt.data.corpus import Corpus
from nmt.data.corpus_builder import build_corpus
from nmt.data.corpus_writer import ParallelText
from nmt.data.drops import LengthLimits
from nmt.data.token_counts import count_tokens
from nmt.data.tokenizers import WordTokenizer
from nmt.data.vocabulary import Vocabulary

# The same examples in every run, and a busy machine is no failure.
settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.load_profile("repeatable")

Write = Callable[[str, str | bytes], str]
Build = Callable[..., Corpus]


def silent(done: int, total: int | None) -> None:
    """Shows no progress."""


@pytest.fixture
def write(tmp_path: pathlib.Path) -> Write:
    """Writes a file and returns its path."""

    def write_file(name: str, content: str | bytes) -> str:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return str(path)

    return write_file


@pytest.fixture
def word_codec() -> Callable[[Sequence[str]], TextCodec]:
    """Makes a codec that knows all words of some lines."""

    def make(lines: Sequence[str]) -> TextCodec:
        tokenizer = WordTokenizer()
        counts = count_tokens(lines, tokenizer)
        return TextCodec(tokenizer, Vocabulary.build(counts, size=10_000))

    return make


@pytest.fixture
def build(
    tmp_path: pathlib.Path,
    write: Write,
    word_codec: Callable[[Sequence[str]], TextCodec],
) -> Build:
    """Builds a corpus in `tmp_path / name`; it knows the words of `known`, or all."""

    def build_lines(
        source: Sequence[str],
        target: Sequence[str],
        limits: LengthLimits | None = None,
        held_out: int = 0,
        name: str = "corpus",
        known: Sequence[str] | None = None,
    ) -> Corpus:
        text = ParallelText(
            write("text.source", "".join(f"{line}\n" for line in source)),
            write("text.target", "".join(f"{line}\n" for line in target)),
            word_codec(["a b c", *source] if known is None else known),
            word_codec(["a b c", *target] if known is None else known),
        )
        return build_corpus(tmp_path / name, text, limits, held_out, silent)

    return build_lines
