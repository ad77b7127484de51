"""From weights to words: pieces added up, links, unknown words replaced."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nmt.decoding.alignment import (
    matrix,
    matrix_line,
    pharaoh,
    replace_unknown,
    word_alignment,
)


def random_alignment(rows: int, columns: int) -> np.ndarray:
    weights = np.random.default_rng(rows).random([rows, columns])
    return weights / weights.sum(axis=1, keepdims=True)


def test_words_are_left_as_they_are() -> None:
    alignment = random_alignment(2, 3)
    words = word_alignment(alignment, ["a", "b", "c"], ["x", "y"])
    np.testing.assert_array_equal(words, alignment)


def test_pieces_of_the_source_are_added_and_of_the_target_averaged() -> None:
    alignment = random_alignment(3, 5)
    source = ["\u2581a", "b", "\u2581c", "d", "e"]
    words = word_alignment(alignment, source, ["\u2581x", "y", "\u2581z"])
    by_hand = [
        [alignment[:2, :2].sum() / 2, alignment[:2, 2:].sum() / 2],
        [alignment[2, :2].sum(), alignment[2, 2:].sum()],
    ]
    np.testing.assert_allclose(words, by_hand)


def test_characters_have_words_too() -> None:
    alignment = np.eye(4)
    words = word_alignment(alignment, list("ab\u2581c"), list("x\u2581yz"))
    # x; _yz to ab; _c
    np.testing.assert_allclose(words, [[1, 0], [1 / 3, 2 / 3]])


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        (["\u2581", "dog"], " dog"),
        (["\u2581a", "\u2581", "\u2581b"], " a  b"),
        (["a", "\u2581", "\u2581", "b"], "a  b"),
        (["\u2581a", "\u2581"], " a "),
        (["\u2581", "\u2581a", "b"], "  ab"),
        (["do", "gs", "\u2581a"], "dogs a"),
        (["\u2581a", "<unk>", "b", "\u2581c"], "a \u2047 b c"),
        (["<unk>", "<unk>", "\u2581"], " \u2047  \u2047  "),
    ],
)
def test_words_are_counted_as_white_space_cuts_the_text(
    pieces: list[str], text: str
) -> None:
    alignment = random_alignment(len(pieces), 1)
    assert len(word_alignment(alignment, ["w"], pieces)) == len(text.split())


PIECES = st.lists(st.sampled_from(["\u2581a", "b", "\u2581", "\u2581cd"]), max_size=8)


@given(source=PIECES, target=PIECES)
def test_rows_of_words_sum_to_one(source: list[str], target: list[str]) -> None:
    alignment = random_alignment(len(target), len(source))
    words = word_alignment(alignment, source, target)
    if words.size:
        np.testing.assert_allclose(words.sum(axis=1), 1)


@pytest.mark.parametrize("sides", [([], ["x"]), (["a"], []), ([], [])])
def test_a_side_without_tokens(sides: tuple[list[str], list[str]]) -> None:
    source, target = sides
    words = word_alignment(np.zeros([len(target), len(source)]), source, target)
    assert words.shape == (len(target), len(source))
    assert pharaoh(words) == ""


def test_pharaoh_has_the_source_word_first() -> None:
    alignment = np.array([[0.2, 0.8], [0.9, 0.1], [0.4, 0.6]])
    assert pharaoh(alignment) == "1-0 0-1 1-2"
    # Of two that are equal, the first.
    assert pharaoh(np.array([[0.5, 0.5]])) == "0-0"


def test_matrix_is_rounded() -> None:
    assert matrix(np.array([[1 / 3, 2 / 3]], np.float32)) == [[0.333333, 0.666667]]


def test_matrix_line_is_one_object_in_one_line() -> None:
    line = matrix_line(np.eye(2), ["caf\u00e9", "</s>"], ["\u2581a\n", "</s>"])
    assert "\n" not in line
    assert "caf\u00e9" in line
    assert json.loads(line) == {
        "source_tokens": ["caf\u00e9", "</s>"],
        "target_tokens": ["\u2581a\n", "</s>"],
        "alignment": [[1.0, 0.0], [0.0, 1.0]],
    }


def test_unknown_word_becomes_the_one_it_looked_at() -> None:
    # The last row and the last column are ends of sentences.
    alignment = np.array(
        [[0.1, 0.7, 0.1, 0.1], [0.8, 0.1, 0.0, 0.1], [0.1, 0.0, 0.3, 0.6], [0, 0, 0, 1]]
    )
    made = replace_unknown(
        ["<unk>", "x", "<unk>"],
        "<unk>",
        alignment,
        ["A", "B", "C"],
        {"B": "b", "A": ""},
    )
    # The end of the source is no word: the third one looked at C.
    assert made == ["b", "x", "C"]


def test_without_unknown_words_nothing_changes() -> None:
    tokens = ["x", "y"]
    assert replace_unknown(tokens, "<unk>", np.eye(2), ["A", "B"], {"A": "a"}) == tokens
