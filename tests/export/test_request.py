"""Versions, and what is refused before a model is loaded."""

import pathlib

import pytest

from nmt.errors import UserError
from nmt.export import ExportRequest, export_model


def test_versions_count_up_and_are_kept(tmp_path: pathlib.Path) -> None:
    output = tmp_path / "exported"
    assert ExportRequest(("run",), str(output)).folder == output / "1"
    (output / "7").mkdir(parents=True)
    (output / "notes").mkdir()
    assert ExportRequest(("run",), str(output)).folder == output / "8"
    with pytest.raises(UserError, match="7 exists: choose another --version"):
        ExportRequest(("run",), str(output), version=7).check()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"run_dirs": ()}, "name at least one folder"),
        ({"output": ""}, "name the folder"),
        ({"weights": (1.0,)}, "weights"),
        ({"version": -1}, "give a number from 1"),
    ],
)
def test_what_makes_no_sense_is_refused(
    tmp_path: pathlib.Path, change: dict[str, object], message: str
) -> None:
    settings = {"run_dirs": ("a", "b"), "output": str(tmp_path / "x"), **change}
    with pytest.raises(UserError, match=message):
        export_model(ExportRequest(**settings))
    assert not (tmp_path / "x").exists()
