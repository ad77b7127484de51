"""Files are sound before the work begins."""

import io
import os
import pathlib
import sys

import pytest

from nmt.errors import UserError
from nmt.rescoring.inputs import open_inputs, with_lines
from tests.rescoring.lists import LISTS, SOURCES, write_files


@pytest.fixture
def paths(tmp_path: pathlib.Path) -> tuple[str, str, str]:
    write_files(tmp_path)
    source, n_best, reference = (
        str(tmp_path / name) for name in ("source", "n_best", "reference")
    )
    return source, n_best, reference


def test_what_is_counted(paths: tuple[str, str, str]) -> None:
    with open_inputs(*paths) as inputs:
        assert (inputs.source, inputs.n_best, inputs.reference) == paths
        assert (inputs.sentences, inputs.lists, inputs.hypotheses) == (4, 3, 6)
        assert inputs.features == {"LM", "TM"}
        for _ in range(2):
            assert "".join(each.text for each in inputs.read_lists()) == LISTS


def test_standard_input_is_read_once_and_used_twice(
    paths: tuple[str, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stdin = io.TextIOWrapper(io.BytesIO(LISTS.encode()))
    monkeypatch.setattr(sys, "stdin", stdin)
    with open_inputs(paths[0], "-") as inputs:
        for _ in range(2):
            assert "".join(each.text for each in inputs.read_lists()) == LISTS
        copy = pathlib.Path(inputs.n_best)
    assert not copy.exists()


def test_pipes_are_read_once(paths: tuple[str, str, str]) -> None:
    reading, writing = os.pipe()
    os.write(writing, "".join(f"{line}\r\n" for line in SOURCES).encode())
    os.close(writing)
    with open_inputs(f"/dev/fd/{reading}", paths[1], paths[2]) as inputs:
        assert inputs.sentences == 4
        pairs = with_lines(inputs.read_lists(), SOURCES)
        assert [(each.id, line) for each, line in pairs] == [
            (0, "w1 w2 w3"),
            (2, "w5 w6 never"),
            (3, "w7 w8"),
        ]
    os.close(reading)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("n_best", LISTS + "\n0 ||| w1 ||| ||| 1\n", r"n_best:7: id 0 after id 3"),
        ("n_best", LISTS + "\n4 ||| w1 ||| ||| 1\n", "n_best:7: id 4, but there are"),
        ("n_best", LISTS + "\n4 ||| w1\n", "n_best:7: 2 fields"),
        ("n_best", "", "n_best: there are no hypotheses"),
        ("reference", "w1\n", "source has 4 lines but .*reference has 1"),
        ("source", "w1\n", "n_best:4: id 2, but there are only 1 source lines"),
    ],
)
def test_what_is_refused(
    tmp_path: pathlib.Path,
    paths: tuple[str, str, str],
    name: str,
    content: str,
    message: str,
) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    reference = paths[2] if name == "reference" else ""
    with pytest.raises(UserError, match=message), open_inputs(*paths[:2], reference):
        pass


@pytest.mark.parametrize("place", [0, 1, 2])
def test_missing_files_are_named(paths: tuple[str, str, str], place: int) -> None:
    pathlib.Path(paths[place]).unlink()
    message = f"{paths[place]}: no such file"
    with pytest.raises(UserError, match=message), open_inputs(*paths):
        pass
