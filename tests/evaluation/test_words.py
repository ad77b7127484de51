"""Words of a vocabulary in the text."""

import pathlib

import pytest

from nmt.errors import UserError
from nmt.evaluation.words import RankedWords, known_lines, read_ranked_words

WORDS = RankedWords("words", {"a": 1, "dog": 2, "10\u00a0000": 3})


@pytest.mark.parametrize("special", ["<pad>\n<unk>\n<s>\n</s>\n", ""])
def test_first_word_after_the_special_tokens_is_the_commonest(
    tmp_path: pathlib.Path, special: str
) -> None:
    path = tmp_path / "vocab"
    path.write_text(f"{special}the\na\ndog\n", encoding="utf-8")
    words = read_ranked_words(str(path))
    assert words == RankedWords(str(path), {"the": 1, "a": 2, "dog": 3})
    assert words.unknown_rank == 4


@pytest.mark.parametrize("rows", ["\u2581a\nb\n", "a\n\u2581\n"])
def test_pieces_are_refused(tmp_path: pathlib.Path, rows: str) -> None:
    path = tmp_path / "vocab"
    path.write_text(rows, encoding="utf-8")
    with pytest.raises(UserError, match="vocab: has pieces of words such as '\u2581"):
        read_ranked_words(str(path))


def test_words_stand_between_ordinary_spaces() -> None:
    line = " a\tdog  10\u00a0000 cat <unk> "
    assert WORDS.line_ranks(line) == [1, 2, 3, 4, 4]
    assert WORDS.line_ranks("") == []
    assert WORDS.knows("a 10\u00a0000")
    assert WORDS.knows("")
    assert not WORDS.knows("a Dog")


def test_half_of_the_words_have_to_be_known() -> None:
    WORDS.check(["a cat", "cat dog"], "text")
    WORDS.check([""], "text")
    with pytest.raises(UserError, match="words: only 2 of 5 words of text are in it"):
        WORDS.check(["a cat", "cat dog cat"], "text")


def test_every_reference_of_a_source_has_to_be_known() -> None:
    assert known_lines(
        ["a", "dog", "a dog", "dog", "cat"],
        [("a",), ("a",), ("a", "cat"), ("cat",), ("a",)],
        WORDS,
        WORDS,
    ) == [True, False, False, False, False]
