"""Files that belong together line by line."""

import pathlib

import pytest

from nmt.errors import UserError
from nmt.evaluation.references import (
    ScoredLines,
    read_baseline,
    read_parallel,
    read_with_table,
)


@pytest.fixture(autouse=True)
def files(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "made": "x\n\ny\u2028z\n",
        "right": "x\r\nb\nc",
        "source": "s\nt\ns\n",
        "short": "x\n",
        "table": "s\tx y\nt\tz\ns\tx\n",
        "flat": "s\tx\nt z\n",
    }.items():
        pathlib.Path(name).write_bytes(text.encode())


def test_equal_lines_belong_together() -> None:
    assert read_parallel("made", "right", "source") == ScoredLines(
        ["x", "", "y\u2028z"], [("x",), ("b",), ("c",)], ["s", "t", "s"]
    )
    assert read_parallel("made", "right").sources is None


def test_table_has_all_that_is_right_for_a_source() -> None:
    expected = [("x y", "x"), ("z",), ("x y", "x")]
    by_row = read_with_table("made", "table")
    assert by_row.references == expected
    assert by_row.sources == ["s", "t", "s"]
    assert read_with_table("made", "table", "source") == by_row


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("made", "short"), "made has 3 lines and short 1;"),
        (("made", "right", "short"), "made has 3 lines and short 1;"),
        (("made", "missing"), "missing: no such file"),
    ],
)
def test_unequal_files_are_refused(arguments: tuple[str, ...], message: str) -> None:
    with pytest.raises(UserError, match=message):
        read_parallel(*arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("short", "table"), "short has 1 lines and table 3;"),
        (("made", "flat"), "flat:2: no tab"),
        (("made", "table", "right"), "right:1: 'x' is not in table"),
    ],
)
def test_tables_that_do_not_fit_are_refused(
    arguments: tuple[str, ...], message: str
) -> None:
    with pytest.raises(UserError, match=message):
        read_with_table(*arguments)


def test_lines_are_selected_in_every_column() -> None:
    lines = ScoredLines(["a", "b"], [("c",), ("d",)], ["e", "f"])
    assert lines.select([False, True]) == ScoredLines(["b"], [("d",)], ["f"])
    assert lines._replace(sources=None).select([True, False]).sources is None
    compared = lines._replace(baseline=["g", "h"])
    assert compared.select([False, True]).baseline == ["h"]


def test_baseline_belongs_to_the_lines() -> None:
    lines = read_parallel("made", "right")
    assert read_baseline(lines, "made", "source") == lines._replace(
        baseline=["s", "t", "s"]
    )
    with pytest.raises(UserError, match="made has 3 lines and short 1;"):
        read_baseline(lines, "made", "short")
