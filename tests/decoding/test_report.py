"""The summary of many translations."""

import dataclasses

import pytest

from nmt.decoding.report import DecodingReport, NumberedLines
from nmt.decoding.translation import BLANK, Hypothesis, Translation

UNFINISHED = Translation(
    ("x",), (Hypothesis("a b", ("a", "b"), -2.0, False, -2.0),), source_tokens=1
)
WHOLE = Translation(("x",), (Hypothesis("a", ("a",), -1.0, True, -1.0),), 1)
LONG = dataclasses.replace(WHOLE, source_tokens=9, is_long=True)
READ_WHOLE = dataclasses.replace(LONG, source=("x",) * 9)


def test_report_counts_and_names_lines() -> None:
    report = DecodingReport()
    for translation in (WHOLE, BLANK, UNFINISHED, BLANK):
        report.add(translation)
    assert report.sentences == 4
    assert report.target_tokens == 3
    assert report.blank == NumberedLines(2, [2, 4])
    assert report.unfinished == NumberedLines(1, [3])
    assert "blank: 2 (lines 2, 4)" in report.text()
    assert "unfinished at the length limit: 1 (lines 3)" in report.text()


def test_only_the_first_numbers_are_kept() -> None:
    lines = NumberedLines()
    for number in range(1, 1002):
        lines.add(number)
    assert lines.text() == "1,001 (lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ...)"


def test_long_lines_and_those_of_them_that_are_cut() -> None:
    report = DecodingReport()
    for translation in (WHOLE, LONG, READ_WHOLE):
        report.add(translation)
    assert report.long == NumberedLines(2, [2, 3])
    assert report.cut == NumberedLines(1, [2])
    assert "longer than in training: 2 (lines 2, 3), of these cut: 1 (lines 2)" in (
        report.text()
    )


def test_numbers_are_those_of_the_whole_file() -> None:
    report = DecodingReport(lines_before=1000)
    report.add(BLANK)
    assert report.blank == NumberedLines(1, [1001])
    assert report.sentences == 1


@pytest.mark.parametrize(
    ("translation", "has_losses"),
    [(WHOLE, False), (BLANK, False), (READ_WHOLE, False), (LONG, True)],
)
def test_what_was_not_translated_whole_is_a_loss(
    translation: Translation, has_losses: bool
) -> None:
    report = DecodingReport()
    assert not report.has_losses
    report.add(translation)
    assert report.has_losses == has_losses
    report.add(UNFINISHED)
    assert report.has_losses
