"""Figures as bytes, and folders of results."""

import pathlib
import sys

import pytest

from nmt.analysis.figures import (
    check_matplotlib,
    label,
    new_figure,
    rendered,
    write_folder,
)
from nmt.errors import UserError


def test_equal_figures_give_equal_bytes() -> None:
    pytest.importorskip("matplotlib")
    both = []
    for _ in range(2):
        figure = new_figure(2.0, 1.0)
        figure.add_subplot().set_title(label("100 $ and 5 $"))
        both.append(rendered("a", figure))
    assert both[0] == both[1]
    assert both[0]["a.png"].startswith(b"\x89PNG")
    assert both[0]["a.svg"].startswith(b"<?xml")


def test_missing_matplotlib_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(UserError, match=r"^matplotlib, which draws, is not") as error:
        check_matplotlib()
    assert "\n" not in str(error.value)


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
