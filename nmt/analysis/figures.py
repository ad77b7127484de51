"""Figures as bytes, and folders of results."""

import importlib
import io
import pathlib
from collections.abc import Mapping
from typing import Any

from nmt.data.text import replace_file
from nmt.errors import UserError

FORMATS = ("png", "svg")


def check_matplotlib() -> None:
    """Refuses to go on without what draws, before the work is done.

    Raises:
        UserError: matplotlib is missing.
    """
    try:
        importlib.import_module("matplotlib.figure")
    except ImportError as error:
        raise UserError(
            f"matplotlib, which draws, is not there ({error}); install it by: pip "
            "install 'matplotlib>=3.8,<4' (the extra `plots` of this package)"
        ) from error


def new_figure(width: float, height: float) -> Any:
    """Returns an empty matplotlib figure of so many inches."""
    figures = importlib.import_module("matplotlib.figure")
    return figures.Figure(figsize=(width, height), layout="constrained")


def rendered(name: str, figure: Any) -> dict[str, bytes]:
    """Returns a figure as files: `name.png` and `name.svg`.

    Equal figures give equal bytes with the same version of matplotlib.
    """
    matplotlib = importlib.import_module("matplotlib")
    files = {}
    # Neither the time nor a random salt: they would change the bytes.
    for kind, metadata in (("png", {}), ("svg", {"Date": None})):
        drawn = io.BytesIO()
        with matplotlib.rc_context({"svg.hashsalt": "nmt"}):
            figure.savefig(drawn, format=kind, dpi=150, metadata=metadata)
        files[f"{name}.{kind}"] = drawn.getvalue()
    return files


def label(text: str) -> str:
    r"""Returns text as matplotlib shows it: it would set $...$ as formulas.

    Example:
        >>> label("3 $")
        '3 \\$'
    """
    return text.replace("$", r"\$")


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
