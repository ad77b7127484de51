"""Counting in TensorFlow gives what counting in Python gives."""

from collections import Counter

import pytest
import tensorflow as tf

import nmt.data.token_counts
from nmt.data.token_counts import add_counts, count_tokens
from nmt.data.tokenizers import WordTokenizer


def test_chunks_are_added_up(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ["a b a", "", "b é", "\u2028 a", "a"]
    monkeypatch.setattr(nmt.data.token_counts, "LINES_PER_CALL", 2)
    counts = count_tokens(lines, WordTokenizer())
    assert counts == {"a": 4, "b": 2, "é": 1, "\u2028": 1}


def test_no_text_has_no_tokens() -> None:
    assert count_tokens([], WordTokenizer()) == {}


def test_counts_go_on_from_where_they_were() -> None:
    counts = Counter({"a": 2})
    add_counts(counts, tf.constant(["a", "b", "a"]))
    assert counts == {"a": 4, "b": 1}
