"""Scores of systems by length and by rank."""

import dataclasses
import math
import pathlib

import pytest

from nmt.analysis.quality import LengthsRequest, draw_quality, table
from nmt.errors import UserError
from nmt.evaluation import EvaluationRequest, evaluate_files
from nmt.evaluation.drawing import Curve

SOURCE = "a b\na b c d\nd d d\na\n"


@pytest.fixture
def request_all(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> LengthsRequest:
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "source": SOURCE,
        "right": "x y z w\nx y z w v\ny y y z z\nx\n",
        "good": "x y z w\nx y z w v\ny y y z z\nx\n",
        "bad": "x y z v\nx y z v v\ny y z z z\ny\n",
        "vocab": "a\nb\nc\nd\n",
    }.items():
        (tmp_path / name).write_text(text)
    return LengthsRequest(
        ("good", "bad"),
        "right",
        "source",
        "out",
        source_vocabulary="vocab",
        by_length="2,3",
        by_rank=2,
        metric="chrf",
    )


def test_figures_are_those_of_nmt_evaluate(request_all: LengthsRequest) -> None:
    draw_quality(request_all)
    report = evaluate_files(
        EvaluationRequest(
            "bad",
            reference="right",
            source="source",
            source_vocabulary="vocab",
            by_length="2,3",
            by_rank=2,
            metrics=("chrf",),
            output="report",
        )
    )
    assert report.by_word_rank is not None
    for name, groups in {
        "lengths": report.by_source_length,
        "ranks": report.by_word_rank.groups,
    }.items():
        rows = [
            line.split("\t")
            for line in pathlib.Path("out", f"{name}.tsv").read_text().splitlines()
        ]
        assert rows[0] == ["system", "group", "lines", "chrf"]
        own = [(row[2], row[3]) for row in rows if row[0] == "bad"]
        assert own == [
            (str(group.lines), f"{group.scores[0].value:.4f}") for group in groups
        ]
        good = [float(row[3]) for row in rows if row[0] == "good"]
        assert all(
            float(other[1]) < value for other, value in zip(own, good, strict=True)
        )


def test_names_and_files(request_all: LengthsRequest) -> None:
    draw_quality(dataclasses.replace(request_all, names=("A", "B")))
    names = {path.name for path in pathlib.Path("out").iterdir()}
    assert names == {
        f"{name}.{kind}"
        for name in ("lengths", "ranks")
        for kind in ("png", "svg", "tsv")
    }
    assert pathlib.Path("out/ranks.tsv").read_text().splitlines()[1][0] == "A"


def test_no_ranks_without_a_vocabulary(request_all: LengthsRequest) -> None:
    draw_quality(dataclasses.replace(request_all, source_vocabulary=""))
    assert not pathlib.Path("out/ranks.png").exists()


def test_empty_groups_have_no_score() -> None:
    curve = Curve("_a", ("1-2", "3+"), (3, 0), (2.5, math.nan))
    assert table([curve], "bleu").splitlines()[2] == "_a\t3+\t0\t"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"names": ("A",)}, "--names: 1 for 2 files"),
        ({"names": ("A", "A")}, "each system needs its own name"),
        ({"metric": "rouge"}, "rouge"),
        ({"by_length": "3,2"}, "--by_length=3,2: "),
        ({"by_length": "", "by_rank": 1}, "--by_rank=1: give at least two"),
        ({"by_length": ""}, "all lines are in one group of lengths"),
        ({"hypotheses": ("good", "vocab2")}, "vocab2: no such file"),
    ],
)
def test_errors_write_nothing(
    request_all: LengthsRequest, changes: dict[str, object], said: str
) -> None:
    with pytest.raises(UserError, match=said) as error:
        draw_quality(dataclasses.replace(request_all, **changes))
    assert "\n" not in str(error.value)
    assert not pathlib.Path("out").exists()
