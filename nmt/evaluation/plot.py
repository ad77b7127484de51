"""A plot of scores by source length, as figure 2 of Bahdanau et al. (2015)."""

import importlib
import io
import math
import pathlib
from collections.abc import Sequence

from nmt.data.text import replace_file
from nmt.errors import UserError
from nmt.evaluation.lengths import LengthGroup
from nmt.evaluation.metrics import LOWER_IS_BETTER
from nmt.evaluation.score import ComparedScore

FORMATS = ("png", "svg", "pdf")


def check_plot(path: str) -> None:
    """Refuses what `draw_lengths` could not write, before the work is done.

    Raises:
        UserError: the name has no ending of a known format, or matplotlib is missing.
    """
    _format(path)
    try:
        importlib.import_module("matplotlib.figure")
    except ImportError as error:
        raise UserError(
            f"--plot={path}: matplotlib, which draws, is not there ({error}); install "
            "it by: pip install 'matplotlib>=3.8,<4' (the extra `plots` of this "
            "package), or leave out --plot"
        ) from error


def draw_lengths(
    path: str, groups: Sequence[LengthGroup], names: Sequence[str]
) -> None:
    """Writes a plot of the first metric by source length, whole or not at all.

    Equal scores give equal bytes with the same version of matplotlib.

    Args:
        path: The file; PNG, SVG or PDF by its ending.
        groups: Shortest first, at least two with lines.
        names: Of the system, and of the baseline where there is one: a line each.

    Raises:
        UserError: the file cannot be written.
    """
    # Not at the top: the rest works without it.
    matplotlib = importlib.import_module("matplotlib")
    figure = importlib.import_module("matplotlib.figure").Figure(
        figsize=(6.4, 4.0), layout="constrained"
    )
    axes = figure.add_subplot()
    metric, lines = length_lines(groups)
    labels = [f"{group}\n({group.lines:,})" for group in groups]
    for values, name, style in zip(lines, names, ("o-", "s--"), strict=False):
        axes.plot(range(len(labels)), values, style, label=_label(name))
    axes.set_xticks(range(len(labels)), labels)
    axes.set_xlabel("tokens of the source (lines)")
    better = ", lower is better" if metric in LOWER_IS_BETTER else ""
    axes.set_ylabel(metric.replace("_", " ").replace("bleu", "BLEU") + better)
    axes.set_ylim(bottom=0.0)
    axes.grid(alpha=0.3)
    axes.legend()
    drawn, kind = io.BytesIO(), _format(path)
    # Neither the time nor a random salt: they would change the bytes of an equal plot.
    date = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[kind]
    with matplotlib.rc_context({"svg.hashsalt": "nmt"}):
        figure.savefig(drawn, format=kind, dpi=150, metadata=date)
    replace_file(path, drawn.getvalue())


def length_lines(groups: Sequence[LengthGroup]) -> tuple[str, list[list[float]]]:
    """Returns the name of the first metric, and its values for each system.

    Args:
        groups: At least one with lines; groups without have no value (NaN).

    Returns:
        The name, and for the system and, if there is one, the baseline, a value a
        group.
    """
    firsts = [group.scores[0] if group.scores else None for group in groups]
    (name,) = {score.name for score in firsts if score}
    lines = [[score.value if score else math.nan for score in firsts]]
    if any(isinstance(score, ComparedScore) for score in firsts):
        lines.append(
            [
                score.baseline.value if isinstance(score, ComparedScore) else math.nan
                for score in firsts
            ]
        )
    return name, lines


def _label(name: str) -> str:
    # matplotlib leaves names with a leading underscore out, and sets $...$ as formulas.
    return ("./" if name.startswith("_") else "") + name.replace("$", r"\$")


def _format(path: str) -> str:
    kind = pathlib.PurePath(path).suffix.lower().removeprefix(".")
    if kind not in FORMATS:
        raise UserError(
            f"--plot={path}: the file's ending tells the format; give a name that ends "
            "in .png, .svg or .pdf"
        )
    return kind
