"""Figures as bytes, and curves as figures."""

import sys

import pytest

from nmt.errors import UserError
from nmt.evaluation.drawing import (
    FORMATS,
    Curve,
    check_matplotlib,
    drawn,
    label,
    new_figure,
    plot_curves,
)


@pytest.mark.parametrize("kind", FORMATS)
def test_equal_figures_give_equal_bytes(kind: str) -> None:
    pytest.importorskip("matplotlib")
    both = []
    for _ in range(2):
        figure = new_figure(2.0, 1.0)
        figure.add_subplot().set_title(label("100 $ and 5 $"))
        both.append(drawn(figure, kind))
    assert both[0] == both[1]


def test_missing_matplotlib_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(UserError, match=r"^matplotlib, which draws, is not") as error:
        check_matplotlib()
    assert "\n" not in str(error.value)


def test_each_system_is_a_line_over_the_groups() -> None:
    pytest.importorskip("matplotlib")
    groups, lines = ("1-9", "10+"), (3, 1200)
    curves = [
        Curve("one", groups, lines, (40.0, 20.0)),
        Curve("_two $", groups, lines, (10.0, float("nan"))),
    ]
    (axes,) = plot_curves(curves, "length", "word_error_rate").axes
    assert [each.get_label() for each in axes.lines] == ["one", r"./_two \$"]
    assert list(axes.lines[0].get_ydata()) == [40.0, 20.0]
    ticks = [each.get_text() for each in axes.get_xticklabels()]
    assert ticks == ["1-9\n(3)", "10+\n(1,200)"]
    assert axes.get_ylabel() == "word error rate, lower is better"
