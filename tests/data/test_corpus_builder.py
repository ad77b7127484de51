"""A corpus is made whole, once, and again only when something changed."""

import dataclasses
import gzip
import pathlib
from collections.abc import Callable, Sequence

import pytest

import nmt.data.corpus_builder
from nmt.data.codec import TextCodec
from nmt.data.corpus import Corpus
from nmt.data.corpus_builder import build_corpus
from nmt.data.corpus_writer import ParallelText
from nmt.data.drops import LengthLimits
from nmt.data.text import read_lines
from nmt.errors import UserError

Write = Callable[[str, str | bytes], str]

SOURCE = [f"a {i}" for i in range(30)]
TARGET = [f"b\u2028 {i}" for i in range(30)]


@dataclasses.dataclass
class Builder:
    """Builds into one folder and remembers whether anything was encoded."""

    folder: pathlib.Path
    text: ParallelText
    limits: LengthLimits | None = None
    held_out: int = 2
    encoded: int = 0

    def __call__(self) -> Corpus:
        self.encoded = 0
        return build_corpus(
            self.folder, self.text, self.limits, self.held_out, self.count
        )

    def count(self, done: int, total: int | None) -> None:
        self.encoded = done
        assert total == 30


def content(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


@pytest.fixture
def builder(
    tmp_path: pathlib.Path,
    write: Write,
    word_codec: Callable[[Sequence[str]], TextCodec],
) -> Builder:
    text = ParallelText(
        write("text.source", content(SOURCE)),
        write("text.target", content(TARGET)),
        word_codec(SOURCE),
        word_codec(TARGET),
    )
    return Builder(tmp_path / "run" / "corpus", text)


def test_the_same_text_is_encoded_once(builder: Builder) -> None:
    first = builder()
    assert builder.encoded == 30
    again = builder()
    assert builder.encoded == 0
    assert again.statistics == first.statistics
    assert [file.name for file in builder.folder.parent.iterdir()] == ["corpus"]


def change_a_word(builder: Builder, write: Write) -> None:
    write("text.source", content(["other", *SOURCE[1:]]))


def change_a_codec(builder: Builder, write: Write) -> None:
    builder.text = builder.text._replace(target_codec=builder.text.source_codec)


def change_a_limit(builder: Builder, write: Write) -> None:
    builder.limits = LengthLimits(5, 5)


def change_held_out(builder: Builder, write: Write) -> None:
    builder.held_out = 3


def damage(builder: Builder, write: Write) -> None:
    (builder.folder / "source.ids").write_bytes(b"")


@pytest.mark.parametrize(
    "change",
    [change_a_word, change_a_codec, change_a_limit, change_held_out, damage],
)
def test_any_change_encodes_anew(
    builder: Builder, write: Write, change: Callable[[Builder, Write], None]
) -> None:
    builder()
    change(builder, write)
    builder()
    assert builder.encoded == 30


def test_text_that_moved_is_not_encoded_again(builder: Builder, write: Write) -> None:
    builder()
    moved = write("moved.source", content(SOURCE))
    builder.text = builder.text._replace(source_path=moved)
    builder()
    assert builder.encoded == 0


def test_compressed_text_gives_the_same_corpus(builder: Builder, write: Write) -> None:
    plain = builder()
    ids = plain.source.read(plain.rows).ids.tolist()
    packed = write("text.source.gz", gzip.compress(content(SOURCE).encode()))
    builder.text = builder.text._replace(source_path=packed)
    corpus = builder()
    assert corpus.source.read(corpus.rows).ids.tolist() == ids


def test_held_out_text_is_that_of_the_held_out_rows(builder: Builder) -> None:
    corpus = builder()
    held_out = corpus.line_numbers[corpus.held_out_rows] - 1
    assert len(held_out) == 2
    assert list(read_lines(corpus.held_out_source)) == [SOURCE[i] for i in held_out]
    assert list(read_lines(corpus.held_out_target)) == [TARGET[i] for i in held_out]


def test_an_interrupted_build_leaves_what_was_there(
    builder: Builder, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    fingerprint = builder().fingerprint
    change_a_word(builder, write)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(nmt.data.corpus_builder, "_describe", interrupt)
    with pytest.raises(KeyboardInterrupt):
        builder()
    assert Corpus(builder.folder).fingerprint == fingerprint
    assert [file.name for file in builder.folder.parent.iterdir()] == ["corpus"]


def test_what_a_killed_build_left_is_cleared_away(builder: Builder) -> None:
    left = builder.folder.with_name("corpus.tmp")
    left.mkdir(parents=True)
    (left / "source.ids").write_bytes(b"half")
    assert len(builder()) == 30
    assert not left.exists()


def test_unequal_texts_are_refused_with_both_numbers(
    builder: Builder, write: Write
) -> None:
    write("text.target", content(TARGET[:-1]))
    with pytest.raises(UserError, match=r"has 30 lines but .* has 29"):
        builder()
    assert not builder.folder.exists()


def test_invalid_utf8_is_refused_with_its_line(builder: Builder, write: Write) -> None:
    write("text.target", content(TARGET[:-1]).encode() + b"\xff\n")
    with pytest.raises(UserError, match=r"text\.target:30: invalid UTF-8"):
        builder()


def test_nothing_left_is_refused_with_the_reasons(
    builder: Builder, write: Write
) -> None:
    write("text.target", "\n" * 30)
    builder.limits = LengthLimits(9, 9)
    with pytest.raises(
        UserError, match="none of the 30 pairs is left; dropped: 30 wit"
    ):
        builder()


@pytest.mark.parametrize(
    ("path", "message"), [("-", "give a file"), ("nowhere", "No such file")]
)
def test_a_source_that_is_no_file_is_refused(
    builder: Builder, path: str, message: str
) -> None:
    builder.text = builder.text._replace(source_path=path)
    with pytest.raises(UserError, match=message):
        builder()
