"""A plot of scores by source length, as figure 2 of Bahdanau et al. (2015)."""

import math
import pathlib
from collections.abc import Sequence

from nmt.data.text import replace_file
from nmt.errors import UserError
from nmt.evaluation.drawing import (
    FORMATS,
    Curve,
    check_matplotlib,
    drawn,
    plot_curves,
)
from nmt.evaluation.lengths import LengthGroup
from nmt.evaluation.score import ComparedScore


def check_plot(path: str) -> None:
    """Refuses what `draw_lengths` could not write, before the work is done.

    Raises:
        UserError: the name has no ending of a known format, or matplotlib is missing.
    """
    _format(path)
    check_matplotlib()


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
    metric, lines = length_lines(groups)
    labels = tuple(map(str, groups))
    sizes = tuple(group.lines for group in groups)
    curves = [
        Curve(name, labels, sizes, tuple(values))
        for values, name in zip(lines, names, strict=False)
    ]
    figure = plot_curves(curves, "tokens of the source", metric)
    replace_file(path, drawn(figure, _format(path)))


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


def _format(path: str) -> str:
    kind = pathlib.PurePath(path).suffix.lower().removeprefix(".")
    if kind not in FORMATS:
        raise UserError(
            f"--plot={path}: the file's ending tells the format; give a name that ends "
            "in .png, .svg or .pdf"
        )
    return kind
