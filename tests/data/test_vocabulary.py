"""Ids, and vocabulary files of other people."""

import pathlib
from collections.abc import Callable

import pytest
import tensorflow as tf

from nmt.data.vocabulary import SPECIAL_TOKENS, UNK_ID, Vocabulary
from nmt.errors import UserError

Write = Callable[[str, str | bytes], str]

SPECIAL_ROWS = "".join(f"{token}\n" for token in SPECIAL_TOKENS)


def test_common_tokens_come_first_and_ties_by_code_point() -> None:
    counts = {"b": 2, "\U0001f600": 2, "\uffff": 2, "a": 2, "z": 3, "rare": 1}
    vocabulary = Vocabulary.build(counts, size=100)
    assert vocabulary.tokens == (
        *SPECIAL_TOKENS,
        "z",
        "a",
        "b",
        "\uffff",
        "\U0001f600",
        "rare",
    )


def test_the_size_counts_the_special_rows() -> None:
    vocabulary = Vocabulary.build({"a": 3, "b": 2, "c": 1}, size=6)
    assert vocabulary.size == 6
    assert vocabulary.tokens[4:] == ("a", "b")


def test_tokens_under_the_minimum_count_are_left_out() -> None:
    vocabulary = Vocabulary.build({"a": 3, "b": 2, "c": 1}, size=9, minimum_count=2)
    assert vocabulary.tokens[4:] == ("a", "b")


def test_special_tokens_of_the_text_are_not_counted() -> None:
    vocabulary = Vocabulary.build({"</s>": 9, "a": 1, "<pad>": 9}, size=9)
    assert vocabulary.tokens == (*SPECIAL_TOKENS, "a")


@pytest.mark.parametrize(
    ("counts", "size", "minimum"), [({}, 9, 1), ({"a": 1}, 4, 1), ({"a": 1}, 9, 2)]
)
def test_a_vocabulary_without_tokens_is_refused(
    counts: dict[str, int], size: int, minimum: int
) -> None:
    with pytest.raises(UserError, match="no token of the text"):
        Vocabulary.build(counts, size, minimum)


@pytest.mark.parametrize("tokens", [("a",), (*SPECIAL_TOKENS, "a", "a")])
def test_the_constructor_takes_only_what_holds(tokens: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="vocabulary"):
        Vocabulary(tokens)


def test_look_up_of_known_unknown_and_special_tokens() -> None:
    table = Vocabulary((*SPECIAL_TOKENS, "a", "é")).lookup_table()
    tokens = tf.constant(["é", "a", "b", "", *SPECIAL_TOKENS])
    ids = table.lookup(tokens)
    assert ids.dtype == tf.int32
    assert ids.numpy().tolist() == [5, 4] + [UNK_ID] * 6


def test_a_saved_vocabulary_loads_again(tmp_path: pathlib.Path) -> None:
    vocabulary = Vocabulary((*SPECIAL_TOKENS, "a", "\u00a0", "\u2028", "\x1c", "\x85"))
    path = tmp_path / "source.vocab"
    vocabulary.save(path)
    loaded = Vocabulary.load(str(path))
    assert loaded.tokens == vocabulary.tokens
    assert loaded.digest() == vocabulary.digest()


def test_the_digest_knows_the_order() -> None:
    one = Vocabulary((*SPECIAL_TOKENS, "a", "b"))
    other = Vocabulary((*SPECIAL_TOKENS, "b", "a"))
    assert one.digest() != other.digest()


@pytest.mark.parametrize(
    "content",
    [
        "a\nb\n",
        "a\nb",
        "a\r\nb\r\n",
        "\ufeffa\nb\n",
        SPECIAL_ROWS + "a\nb\n",
        "\ufeff" + SPECIAL_ROWS.replace("\n", "\r\n") + "a\r\nb\r\n",
    ],
)
def test_harmless_differences_of_a_given_file_are_mended(
    write: Write, content: str
) -> None:
    vocabulary = Vocabulary.load(write("given", content))
    assert vocabulary.tokens == (*SPECIAL_TOKENS, "a", "b")


@pytest.mark.parametrize(
    ("content", "row", "message"),
    [
        ("a\n\nb\n", 2, "blank row"),
        ("a\nb\n\n", 3, "blank row"),
        ("a\n \t\nb\n", 2, "blank row"),
        ("a\nb\na\n", 3, "'a' is already in row 1"),
        (SPECIAL_ROWS + "a\nb\na\n", 7, "'a' is already in row 5"),
        ("a\t17\nb\t12\n", 1, "no counts"),
        ("a\nb c\n", 2, "no counts"),
        ("a\nb\rc\n", 2, "no counts"),
        ("<unk>\n<s>\n</s>\na\n", 1, "<unk> out of place"),
        ("a\n</s>\n", 2, "</s> out of place"),
        (SPECIAL_ROWS + "a\n<pad>\n", 6, "<pad> out of place"),
        (b"a\n\xff\n", 2, "invalid UTF-8"),
    ],
)
def test_an_odd_row_is_refused_with_its_number(
    write: Write, content: str | bytes, row: int, message: str
) -> None:
    path = write("given", content)
    with pytest.raises(UserError) as error:
        Vocabulary.load(path)
    assert str(error.value).startswith(f"{path}:{row}: ")
    assert message in str(error.value)


@pytest.mark.parametrize("content", ["", SPECIAL_ROWS])
def test_a_file_without_tokens_is_refused(write: Write, content: str) -> None:
    with pytest.raises(UserError, match="no tokens"):
        Vocabulary.load(write("given", content))
