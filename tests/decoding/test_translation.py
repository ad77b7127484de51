"""The summary of many translations."""

from nmt.decoding.translation import (
    BLANK,
    DecodingReport,
    Hypothesis,
    NumberedLines,
    Translation,
)

CUT = Translation(1, (Hypothesis("a b", ("a", "b"), -2.0, False, -2.0),))
WHOLE = Translation(1, (Hypothesis("a", ("a",), -1.0, True, -1.0),))


def test_report_counts_and_names_lines() -> None:
    report = DecodingReport()
    for translation in (WHOLE, BLANK, CUT, BLANK):
        report.add(translation)
    assert report.sentences == 4
    assert report.target_tokens == 3
    assert report.blank == NumberedLines(2, [2, 4])
    assert report.unfinished == NumberedLines(1, [3])
    assert "blank: 2 (lines 2, 4)" in report.text()
    assert "cut at the length limit: 1 (lines 3)" in report.text()


def test_only_the_first_numbers_are_kept() -> None:
    lines = NumberedLines()
    for number in range(1, 1002):
        lines.add(number)
    assert lines.text() == "1,001 (lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ...)"
