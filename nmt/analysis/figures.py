"""Figures as files, and folders of results."""

import pathlib
from collections.abc import Mapping
from typing import Any

from nmt.data.text import replace_file
from nmt.errors import UserError
from nmt.evaluation.drawing import drawn


def rendered(name: str, figure: Any) -> dict[str, bytes]:
    """Returns a figure as files: `name.png` and `name.svg`."""
    return {f"{name}.{kind}": drawn(figure, kind) for kind in ("png", "svg")}


def write_folder(path: str, files: Mapping[str, bytes | str]) -> None:
    """Writes files into a folder, which is made if it is not there.

    Args:
        path: The folder.
        files: Contents by name: all are there before the first one is written, and each
            one is written whole.

    Raises:
        UserError: the folder cannot be made, or a file not be written.
    """
    folder = pathlib.Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(
            f"--output={path}: cannot be a folder: {error.strerror}"
        ) from error
    for name, content in files.items():
        replace_file(folder / name, content)
