"""Scores of all lines and of groups of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nmt.config import EvaluationConfig
from nmt.errors import UserError
from nmt.evaluation.bootstrap import Bootstrap
from nmt.evaluation.metrics import score_alternatives
from nmt.evaluation.references import ScoredLines
from nmt.evaluation.score import ComparedScore, compare
from nmt.evaluation.scoring import Breakdown, evaluate
from nmt.evaluation.words import RankedWords

CONFIG = EvaluationConfig(bleu_tokenizer="none")
METRICS = ["bleu", "word_error_rate"]


def lines_of_lengths(*lengths: int) -> ScoredLines:
    sources = [" ".join(f"{length}.{i}" for i in range(length)) for length in lengths]
    right = [(source.replace(".1", ".x"),) for source in sources]
    return ScoredLines(sources, right, sources)


def test_scores_are_those_of_the_metrics() -> None:
    lines = lines_of_lengths(5, 30)
    report = evaluate(lines, METRICS, CONFIG)
    assert report.lines == 2
    assert report.scores == tuple(
        score_alternatives(metric, *lines[:2], CONFIG, lines.sources)
        for metric in METRICS
    )


def test_table_covers_every_line_once() -> None:
    lengths = (0, 10, 11, 20, 31, 32, 4)
    lines = lines_of_lengths(*lengths)
    table = evaluate(lines, METRICS, CONFIG).by_source_length
    assert [(row.shortest, row.longest, row.lines) for row in table] == [
        (0, 10, 3),
        (11, 20, 2),
        (21, 30, 0),
        (31, None, 2),
    ]
    middle = lines.select([length in (11, 20) for length in lengths])
    assert table[1].scores[0] == score_alternatives("bleu", *middle[:2], CONFIG)
    assert table[2].scores == ()


@given(
    lengths=st.lists(st.integers(0, 12), min_size=1, max_size=8),
    boundaries=st.sets(st.integers(1, 12), max_size=3).map(sorted),
)
def test_groups_that_are_asked_for_are_all_there(
    lengths: list[int], boundaries: list[int]
) -> None:
    lines = lines_of_lengths(*lengths)
    table = evaluate(
        lines, ["phone_error_rate"], CONFIG, Breakdown(boundaries)
    ).by_source_length
    assert [row.longest for row in table] == [*boundaries, None]
    assert sum(row.lines for row in table) == len(lengths)
    assert [bool(row.scores) for row in table] == [row.lines > 0 for row in table]


@given(lengths=st.lists(st.integers(1, 12), min_size=1, max_size=8))
def test_group_of_all_lines_scores_as_the_whole(lengths: list[int]) -> None:
    lines = lines_of_lengths(*lengths)
    report = evaluate(lines, METRICS, CONFIG, Breakdown([12]))
    everything, nothing = report.by_source_length
    assert everything.scores == report.scores
    assert (everything.lines, nothing.lines) == (len(lengths), 0)


def test_baseline_stands_beside_every_score() -> None:
    lines = lines_of_lengths(6, 12)
    worse = lines._replace(hypotheses=[lines.hypotheses[0], "0 x x x x"])
    report = evaluate(
        lines._replace(baseline=worse.hypotheses), METRICS, CONFIG, Breakdown([10, 20])
    )
    system, other = (
        evaluate(each, METRICS, CONFIG, Breakdown([10, 20])) for each in (lines, worse)
    )
    assert report.scores == tuple(map(compare, system.scores, other.scores))
    for row, *expected in zip(
        report.by_source_length,
        system.by_source_length,
        other.by_source_length,
        strict=True,
    ):
        assert row.scores == tuple(map(compare, expected[0].scores, expected[1].scores))
    short, long, _ = (row.scores for row in report.by_source_length)
    assert isinstance(short[0], ComparedScore)
    assert isinstance(long[0], ComparedScore)
    assert short[0].difference == 0.0 < long[0].difference
    assert "brevity penalty" in long[0].baseline.details


def test_no_table_without_sources_or_with_one_length() -> None:
    lines = lines_of_lengths(3, 5)
    assert evaluate(lines, METRICS, CONFIG).by_source_length == ()
    assert len(evaluate(lines, METRICS, CONFIG, Breakdown([10])).by_source_length) == 2
    assert evaluate(lines_of_lengths(15), METRICS, CONFIG).by_source_length == ()
    unknown = lines_of_lengths(3, 50)._replace(sources=None)
    assert evaluate(unknown, METRICS, CONFIG).by_source_length == ()


def test_statistics_of_groups_are_those_of_the_lines_alone() -> None:
    lines = lines_of_lengths(9, 12, 12, 30)
    metrics = ["bleu", "chrf", "ter", "phone_error_rate"]
    report = evaluate(lines, metrics, CONFIG, Breakdown([10, 20]))
    alone = evaluate(lines.select([False, True, True, False]), metrics, CONFIG)
    assert report.by_source_length[1].scores == alone.scores


WORDS = RankedWords("words", {"a": 1, "b": 2, "c": 3})
RANKED = ScoredLines(
    ["h1", "h2", "h3", "h4"],
    [("h1",), ("x",), ("h3",), ("x",)],
    ["a b", "z c", "a a", "b z"],
)


def test_lines_are_sorted_by_the_average_rank_of_their_sources_words() -> None:
    breakdown = Breakdown(rank_words=WORDS, rank_groups=2)
    table = evaluate(RANKED, METRICS, CONFIG, breakdown).by_word_rank
    assert table is not None
    assert (table.vocabulary, table.unknown_rank) == ("words", 4)
    assert (table.words, table.unknown_words) == (8, 2)
    common, rare = table.groups
    # Averages 1.5, 3.5, 1 and 3.
    assert (common.lowest, common.highest, common.lines) == (1.0, 1.5, 2)
    assert (rare.lowest, rare.highest, rare.lines) == (3.0, 3.5, 2)
    assert [group.scores[1].value for group in table.groups] == [0.0, 100.0]


def test_lines_without_unknown_words_are_known_on_both_sides() -> None:
    target = RankedWords("target", {"h1": 1, "x": 2})
    breakdown = Breakdown(known_words=(WORDS, target))
    subset = evaluate(RANKED, METRICS, CONFIG, breakdown).without_unknown
    assert subset is not None
    assert subset.lines == 1
    assert subset.scores[1].details == "0 of 1 lines"


def test_no_line_may_be_without_unknown_words() -> None:
    words = RankedWords("words", {"a": 1, "b": 2, "c": 3, "h1": 4, "x": 5})
    lines = RANKED._replace(sources=["a b q", "c c q", "a q", "b b q"])
    breakdown = Breakdown(known_words=(words, words))
    subset = evaluate(lines, METRICS, CONFIG, breakdown).without_unknown
    assert subset is not None
    assert (subset.lines, subset.scores) == (0, ())


@pytest.mark.parametrize(
    ("breakdown", "message"),
    [
        (
            Breakdown(rank_words=RankedWords("v", {"a": 1, "d": 2})),
            "v: only 3 of 8 words of the source are in it",
        ),
        (
            Breakdown(known_words=(WORDS, WORDS)),
            "words: only 0 of 4 words of the reference are in it",
        ),
    ],
)
def test_words_of_another_text_are_refused(breakdown: Breakdown, message: str) -> None:
    with pytest.raises(UserError, match=message):
        evaluate(RANKED, METRICS, CONFIG, breakdown)


def test_baseline_is_tested_by_every_metric_unless_samples_are_none() -> None:
    lines = lines_of_lengths(6, 12, 7)
    lines = lines._replace(baseline=["", "0 1", "7.0"])
    report = evaluate(lines, METRICS, CONFIG, bootstrap=Bootstrap(30, 7))
    assert [(test.name, test.samples) for test in report.paired_bootstrap] == [
        ("bleu", 30),
        ("word_error_rate", 30),
    ]
    untested = evaluate(lines, METRICS, CONFIG, bootstrap=Bootstrap(0))
    assert untested.paired_bootstrap == ()
    assert untested.scores == report.scores
    alone = evaluate(lines._replace(baseline=None), METRICS, CONFIG)
    assert alone.paired_bootstrap == ()


def test_too_large_a_test_is_refused_before_anything_is_scored() -> None:
    lines = lines_of_lengths(1, 2)._replace(baseline=["", ""])
    with pytest.raises(UserError, match="--bootstrap_samples=99999999: "):
        evaluate(lines, ["no such metric"], CONFIG, bootstrap=Bootstrap(99999999))
