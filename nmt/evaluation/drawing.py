"""Pictures by matplotlib, which the rest works without, and curves of scores."""

import dataclasses
import importlib
import io
from collections.abc import Sequence
from typing import Any

from nmt.errors import UserError
from nmt.evaluation.metrics import LOWER_IS_BETTER

# What a format is told, so that the time does not change the bytes of an equal figure.
FORMATS: dict[str, dict[str, None]] = {
    "png": {},
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
}
_STYLES = ("o-", "s--", "^-.", "D:", "v-", "p--")


@dataclasses.dataclass(frozen=True)
class Curve:
    """A system's score in groups of lines.

    Attributes:
        name: The system.
        groups: What the lines of each group have in common.
        lines: How many there are in each.
        values: Scores; NaN where there are no lines.
    """

    name: str
    groups: tuple[str, ...]
    lines: tuple[int, ...]
    values: tuple[float, ...]


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


def drawn(figure: Any, kind: str) -> bytes:
    """Returns a figure as a file of a format.

    Equal figures give equal bytes with the same version of matplotlib.
    """
    matplotlib = importlib.import_module("matplotlib")
    content = io.BytesIO()
    # A random salt would change the bytes.
    with matplotlib.rc_context({"svg.hashsalt": "nmt"}):
        figure.savefig(content, format=kind, dpi=150, metadata=FORMATS[kind])
    return content.getvalue()


def label(text: str) -> str:
    r"""Returns text as matplotlib shows it: it would set $...$ as formulas.

    Example:
        >>> label("3 $")
        '3 \\$'
    """
    return text.replace("$", r"\$")


def plot_curves(curves: Sequence[Curve], what: str, metric: str) -> Any:
    """Draws a line a system.

    Args:
        curves: At least one; the groups are the same in all.
        what: What the groups are told apart by.
        metric: The score's name.
    """
    figure = new_figure(6.4, 4.0)
    axes = figure.add_subplot()
    for number, curve in enumerate(curves):
        style = _STYLES[number % len(_STYLES)]
        # matplotlib leaves names with a leading underscore out.
        name = ("./" if curve.name.startswith("_") else "") + label(curve.name)
        axes.plot(range(len(curve.values)), curve.values, style, label=name)
    ticks = zip(curves[0].groups, curves[0].lines, strict=True)
    axes.set_xticks(
        range(len(curves[0].groups)), [f"{group}\n({n:,})" for group, n in ticks]
    )
    axes.set_xlabel(f"{what} (lines)")
    better = ", lower is better" if metric in LOWER_IS_BETTER else ""
    axes.set_ylabel(metric.replace("_", " ").replace("bleu", "BLEU") + better)
    axes.set_ylim(bottom=0.0)
    axes.grid(alpha=0.3)
    axes.legend()
    return figure
