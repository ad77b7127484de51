"""Codecs made from text, and from given vocabularies."""

import pathlib
from collections.abc import Callable

import pytest
import tensorflow as tf

import nmt.data.codec_builder
from nmt.data.codec import TextCodec
from nmt.data.codec_builder import build_codec
from nmt.data.sentencepiece import train_sentencepiece
from nmt.errors import UserError

Write = Callable[[str, str | bytes], str]


def build(
    folder: pathlib.Path,
    paths: list[str],
    tokenizer: str,
    size: int = 100,
    minimum_count: int = 1,
    given: str = "",
    progress: Callable[[int, int | None], None] = lambda done, total: None,
) -> TextCodec:
    return build_codec(
        "source", paths, tokenizer, size, minimum_count, given, folder, progress
    )


def test_words_of_all_files_are_counted(tmp_path: pathlib.Path, write: Write) -> None:
    paths = [write("one", "a b\n"), write("two", "b c\nb\u00a0c\n")]
    codec = build(tmp_path, paths, "words")
    assert codec.vocabulary.tokens[4:] == ("b", "a", "b\u00a0c", "c")


def test_size_and_minimum_count_limit_words(
    tmp_path: pathlib.Path, write: Write
) -> None:
    path = write("text", "a a a b b c\n")
    assert build(tmp_path, [path], "words", size=5).vocabulary.tokens[4:] == ("a",)
    codec = build(tmp_path, [path], "words", minimum_count=2)
    assert codec.vocabulary.tokens[4:] == ("a", "b")


def test_characters_are_counted(tmp_path: pathlib.Path, write: Write) -> None:
    codec = build(tmp_path, [write("text", " ab b\tb \n")], "characters")
    assert codec.vocabulary.tokens[4:] == ("b", "\u2581", "a")


@pytest.mark.parametrize("tokenizer", ["words", "characters", "sentencepiece"])
def test_what_is_built_is_what_is_saved(
    tmp_path: pathlib.Path, write: Write, tokenizer: str
) -> None:
    path = write("text", "the dog runs\nthe dogs run\n" * 9)
    codec = build(tmp_path, [path], tokenizer)
    loaded = TextCodec.load(tmp_path, "source", tokenizer)
    assert loaded.digest() == codec.digest()
    known = tf.constant(["the dog runs"])
    assert loaded.decode(loaded.encode(known)).numpy().tolist() == [b"the dog runs"]


def test_a_given_vocabulary_is_used_as_it_is(
    tmp_path: pathlib.Path, write: Write
) -> None:
    given = write("given", "dog\nthe\ncat\n")
    codec = build(tmp_path, [write("text", "the dog\n")], "words", 5, 2, given)
    assert codec.vocabulary.tokens[4:] == ("dog", "the", "cat")


def test_a_given_model_is_used_as_it_is(tmp_path: pathlib.Path, write: Write) -> None:
    model = train_sentencepiece(["the dog runs", "the dogs run"] * 9, size=30)
    given = write("given.model", model)
    codec = build(tmp_path, [write("text", "a cat\n")], "sentencepiece", given=given)
    assert (tmp_path / "source.model").read_bytes() == model
    assert codec.encode(tf.constant(["the"])).row_lengths()[0] > 0


def test_a_vocabulary_of_words_is_no_sentencepiece_model(
    tmp_path: pathlib.Path, write: Write
) -> None:
    given = write("given", "dog\nthe\n")
    with pytest.raises(UserError, match=f"{given}: not a sentencepiece model"):
        build(tmp_path, [], "sentencepiece", given=given)


def test_a_bad_text_leaves_no_files(tmp_path: pathlib.Path, write: Write) -> None:
    path = write("text", b"a\n\xff\n")
    for tokenizer in ("words", "sentencepiece"):
        with pytest.raises(UserError, match="text:2: invalid UTF-8"):
            build(tmp_path, [path], tokenizer)
    assert [file.name for file in tmp_path.iterdir()] == ["text"]


def test_progress_counts_the_lines_of_all_files(
    tmp_path: pathlib.Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nmt.data.codec_builder, "LINES_PER_CALL", 2)
    told: list[tuple[int, int | None]] = []
    paths = [write("one", "a\n" * 3), write("two", "b\n" * 2)]
    build(tmp_path, paths, "words", progress=lambda *figures: told.append(figures))
    assert told == [(2, None), (4, None), (5, None)]
