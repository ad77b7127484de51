"""Builder, graph and exported model agree on every character."""

import gzip
import itertools
import os
import pathlib
import re
from collections import Counter

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

from nmt.data.token_counts import count_tokens
from nmt.data.tokenizers import CharacterTokenizer, Tokenizer, WordTokenizer

ASCII_WHITE_SPACE = " \t\n\v\f\r"
# Every code point that UTF-8 can hold.
CODE_POINTS = [chr(c) for c in range(0x110000) if not 0xD800 <= c < 0xE000]

# All of them, each between two a's, on lines that are not too long.
BLOCKS = [
    "a" + "a".join(CODE_POINTS[i : i + 4096]) + "a"
    for i in range(0, len(CODE_POINTS), 4096)
]

line = st.text(st.characters(codec="utf-8"), max_size=12)
both = pytest.mark.parametrize(
    "tokenizer", [WordTokenizer(), CharacterTokenizer()], ids=["words", "characters"]
)


def tokens(tokenizer: Tokenizer, lines: list[str]) -> list[list[str]]:
    ragged = tokenizer.tokenize(tf.constant(lines, tf.string))
    return [[token.decode() for token in row] for row in ragged.to_list()]


def back(tokenizer: Tokenizer, lines: list[str]) -> list[str]:
    ragged = tokenizer.tokenize(tf.constant(lines, tf.string))
    return [one.decode() for one in tokenizer.detokenize(ragged).numpy()]


def words(text: str) -> list[str]:
    return [word for word in re.split("[ \t\n\v\f\r]", text) if word]


def test_words_are_cut_at_ascii_white_space_only() -> None:
    assert tokens(WordTokenizer(), BLOCKS) == [words(block) for block in BLOCKS]


def test_characters_are_code_points() -> None:
    expected = [list(re.sub("[ \t\n\v\f\r]", "\u2581", block)) for block in BLOCKS]
    assert tokens(CharacterTokenizer(), BLOCKS) == expected


@both
def test_a_line_of_white_space_of_any_kind_is_empty(tokenizer: Tokenizer) -> None:
    lengths = tokenizer.tokenize(tf.constant(CODE_POINTS)).row_lengths().numpy()
    assert [CODE_POINTS[i] for i in np.flatnonzero(lengths == 0)] == [
        c for c in CODE_POINTS if c.isspace()
    ]


@both
def test_a_compiled_graph_cuts_alike(tokenizer: Tokenizer) -> None:
    eager = tokenizer.tokenize(tf.constant(BLOCKS))
    graph = tf.function(tokenizer.tokenize)(tf.constant(BLOCKS))
    assert tf.reduce_all(eager.flat_values == graph.flat_values)
    assert tf.reduce_all(eager.row_splits == graph.row_splits)


@both
def test_the_builder_counts_what_the_graph_cuts(tokenizer: Tokenizer) -> None:
    blocks = BLOCKS[:16]  # the plane that all white space is in
    cut = Counter(itertools.chain.from_iterable(tokens(tokenizer, blocks)))
    assert count_tokens(blocks, tokenizer) == cut


@settings(max_examples=50)
@given(st.lists(line, min_size=1, max_size=5))
def test_words_come_back_with_single_spaces(lines: list[str]) -> None:
    expected = ["" if one.isspace() else " ".join(words(one)) for one in lines]
    assert back(WordTokenizer(), lines) == expected


@settings(max_examples=50)
@given(st.lists(line, min_size=1, max_size=5))
def test_characters_come_back(lines: list[str]) -> None:
    lines = [one.replace("\u2581", "_") for one in lines]
    expected = []
    for one in lines:
        one = "" if one.isspace() else one.strip(ASCII_WHITE_SPACE)
        expected.append(re.sub("[ \t\n\v\f\r]", " ", one))
    assert back(CharacterTokenizer(), lines) == expected


@both
def test_no_lines_and_bytes_that_are_no_text(tokenizer: Tokenizer) -> None:
    assert tokens(tokenizer, []) == []
    ragged = tokenizer.tokenize(tf.constant([b"a\xff\xfe b"]))
    assert tokenizer.detokenize(ragged).shape == [1]


@pytest.mark.skipif("NMT_DATA" not in os.environ, reason="NMT_DATA is not set")
def test_real_text_with_no_break_spaces_keeps_its_words() -> None:
    path = pathlib.Path(os.environ["NMT_DATA"]) / "multi30k" / "train.de.gz"
    lines = gzip.decompress(path.read_bytes()).decode().split("\n")
    assert any("\u00a0" in one for one in lines)
    assert tokens(WordTokenizer(), lines) == [words(one) for one in lines]
