"""The plot of scores by length."""

import math
import pathlib
import sys

import pytest

from nmt.errors import UserError
from nmt.evaluation.drawing import FORMATS
from nmt.evaluation.lengths import LengthGroup
from nmt.evaluation.plot import check_plot, draw_lengths, length_lines
from nmt.evaluation.score import Score, compare

BEGINNINGS = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}


def groups(*, baseline: bool) -> list[LengthGroup]:
    scores = [Score("bleu", value, "s") for value in (40.0, 20.0)]
    if baseline:
        scores = [compare(score, Score("bleu", 10.0, "s")) for score in scores]
    chrf = Score("chrf", 99.0, "s")
    return [
        LengthGroup(1, 10, 7, (scores[0], chrf)),
        LengthGroup(11, 20, 0, ()),
        LengthGroup(21, None, 3, (scores[1], chrf)),
    ]


def test_lines_are_of_the_first_metric_with_gaps() -> None:
    name, (system,) = length_lines(groups(baseline=False))
    assert name == "bleu"
    assert system[::2] == [40.0, 20.0]
    assert math.isnan(system[1])


def test_baseline_is_a_line_of_its_own() -> None:
    _, (system, baseline) = length_lines(groups(baseline=True))
    assert system[::2] == [40.0, 20.0]
    assert baseline[::2] == [10.0, 10.0]
    assert math.isnan(baseline[1])


@pytest.mark.parametrize(
    "path", ["plot", "plot.jpg", "-", "png", "a.png/b", "p.svg.gz"]
)
def test_unknown_endings_are_refused(path: str) -> None:
    with pytest.raises(UserError, match=f"^--plot={path}: .* ends in .png, ") as error:
        check_plot(path)
    assert "\n" not in str(error.value)


def test_missing_matplotlib_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "matplotlib.figure", raising=False)
    with pytest.raises(UserError, match="pip install 'matplotlib>=") as error:
        check_plot("plot.png")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("baseline", [False, True])
@pytest.mark.parametrize("kind", FORMATS)
def test_plot_is_written_whole_and_the_same_again(
    tmp_path: pathlib.Path, kind: str, baseline: bool
) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / f"plot.{kind.upper()}"
    path.write_bytes(b"older")
    check_plot(str(path))
    names = ["made", "_other $file"] if baseline else ["made"]
    draw_lengths(str(path), groups(baseline=baseline), names)
    first = path.read_bytes()
    assert first.startswith(BEGINNINGS[kind])
    draw_lengths(str(path), groups(baseline=baseline), names)
    assert path.read_bytes() == first
    assert list(tmp_path.iterdir()) == [path]


def test_folder_that_is_not_there_is_told(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("matplotlib")
    path = str(tmp_path / "missing" / "plot.png")
    with pytest.raises(UserError, match="cannot be written"):
        draw_lengths(path, groups(baseline=False), ["made"])
