"""Counts, unknown tokens and percentiles of a text."""

import dataclasses
import json

import numpy as np
import pytest
import tensorflow as tf

from nmt.data.drops import Dropped
from nmt.data.statistics import PERCENTILES, CorpusStatistics, SideCounter

NOTHING = tf.constant([], tf.string)


def test_lines_tokens_and_unknown_tokens_are_added_up() -> None:
    counter = SideCounter("text")
    counter.add(np.array([2, 0, 3]), tf.constant(["b", "a"]))
    counter.add(np.array([5]), tf.constant(["b"]))
    side = counter.statistics()
    assert (side.path, side.lines, side.tokens, side.unknown) == ("text", 4, 10, 3)
    assert side.commonest_unknown == (("b", 2), ("a", 1))
    assert side.unknown_percent == pytest.approx(30)


def test_ten_unknown_tokens_are_named() -> None:
    counter = SideCounter("text")
    counter.add(np.array([30]), tf.constant([str(i) for i in range(15)] + ["x"] * 15))
    side = counter.statistics()
    assert len(side.commonest_unknown) == 10
    assert side.commonest_unknown[0] == ("x", 15)


def test_percentiles_are_those_of_the_lengths() -> None:
    lengths = np.random.default_rng(1).integers(0, 200, 1000)
    counter = SideCounter("text")
    for chunk in np.split(lengths, 7 * [0] + [300, 900]):
        counter.add(chunk, NOTHING)
    expected = np.percentile(lengths, PERCENTILES, method="inverted_cdf")
    assert counter.statistics().percentiles == tuple(expected)


def test_an_empty_text_has_statistics_too() -> None:
    side = SideCounter("text").statistics()
    assert (side.lines, side.tokens, side.percentiles) == (0, 0, (0, 0, 0, 0))
    assert side.unknown_percent == 0


def test_statistics_survive_json() -> None:
    counter = SideCounter("text")
    counter.add(np.array([2]), tf.constant(["b", "é"]))
    side = counter.statistics()
    statistics = CorpusStatistics(side, side, (Dropped("empty source", 2, (1, 5)),))
    values = json.loads(json.dumps(dataclasses.asdict(statistics)))
    assert CorpusStatistics.from_dict(values) == statistics
