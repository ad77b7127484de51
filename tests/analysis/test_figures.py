"""Figures as bytes, and folders of results."""

import pathlib

import pytest

from nmt.analysis.figures import rendered, write_folder
from nmt.errors import UserError
from nmt.evaluation.drawing import new_figure


def test_figures_are_files_of_both_formats() -> None:
    pytest.importorskip("matplotlib")
    found = rendered("a", new_figure(2.0, 1.0))
    assert found["a.png"].startswith(b"\x89PNG")
    assert found["a.svg"].startswith(b"<?xml")


def test_folder_is_made(tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "a" / "b"
    write_folder(str(folder), {"x": "text\n", "y": b"\x00"})
    assert (folder / "x").read_text() == "text\n"
    assert (folder / "y").read_bytes() == b"\x00"
    assert sorted(path.name for path in folder.iterdir()) == ["x", "y"]


def test_file_in_the_way_is_one_line(tmp_path: pathlib.Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match=r"^--output=.*file: cannot be a folder: "):
        write_folder(str(tmp_path / "file"), {})
