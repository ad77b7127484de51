"""Tables of scores by group."""

from nmt.evaluation.score import Score, compare
from nmt.evaluation.tables import Row, score_tables


def test_tables_show_empty_groups_without_scores() -> None:
    rows = [
        Row("1-10", 0, ()),
        Row("11+", 1200, (Score("bleu", 12.345, "s", "some"),)),
    ]
    assert [line.split() for line in score_tables("source tokens", rows)] == [
        [],
        ["source", "tokens", "lines", "bleu"],
        ["1-10", "0", "-"],
        ["11+", "1,200", "12.35"],
        ["11+", "some"],
    ]


def test_tables_show_the_baseline_beside() -> None:
    score = compare(Score("bleu", 12.0, "s", "some"), Score("bleu", 12.5, "s", "other"))
    rows = [Row("1-10", 3, (score,)), Row("11+", 0, ())]
    assert [line.split() for line in score_tables("tokens", rows)] == [
        [],
        ["tokens", "lines", "bleu", "baseline", "difference"],
        ["1-10", "3", "12.00", "12.50", "-0.50"],
        ["11+", "0", "-", "-", "-"],
        ["1-10", "some"],
        ["baseline:", "other"],
    ]


def test_there_is_a_table_for_each_metric_and_none_without_groups() -> None:
    scores = Score("bleu", 1.0, "s"), Score("chrf", 2.0, "s")
    lines = list(score_tables("tokens", [Row("1+", 1, scores)]))
    assert [line.split()[-1:] for line in lines] == [
        *([], ["bleu"], ["1.00"]),
        *([], ["chrf"], ["2.00"]),
    ]
    assert list(score_tables("tokens", [])) == []
    assert list(score_tables("tokens", [Row("1+", 0, ())])) == []


def test_columns_stand_below_each_other_for_any_label() -> None:
    scores = (Score("bleu", 1.0, "s", "some"),)
    rows = [Row("1.0-2.0", 1, scores), Row("1,234,567.8-9,876,543.2", 1, scores)]
    _, *table = score_tables("average rank", rows)
    assert len({len(line) for line in table[:3]}) == 1
    assert len({line.index("some") for line in table[3:]}) == 1
