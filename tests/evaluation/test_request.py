"""Requests that lack something."""

import dataclasses

import pytest

from nmt.errors import UserError
from nmt.evaluation.request import EvaluationRequest, check_needs

WHOLE = EvaluationRequest(
    "made",
    "right",
    source="source",
    baseline="other",
    by_length="auto",
    by_rank=5,
    without_unknown=True,
    source_vocabulary="source.vocab",
    target_vocabulary="target.vocab",
    plot="plot.png",
)


def test_request_that_has_all_passes() -> None:
    check_needs(WHOLE)
    check_needs(EvaluationRequest("made", "right"))
    table = dataclasses.replace(WHOLE, source="", reference="", reference_tsv="table")
    check_needs(table)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"hypotheses": "-", "source": "-"}, "hypotheses and source cannot all be"),
        ({"output": "made"}, "hypotheses and output are both made"),
        ({"source": ""}, "--by_length needs --source: lines are grouped by"),
        ({"source": "", "by_length": ""}, "--plot needs --source: "),
        (
            {"source": "", "by_length": "", "plot": ""},
            "--by_rank needs --source: ",
        ),
        (
            {"source_vocabulary": ""},
            "--by_rank needs --source_vocabulary: a file of the source's words, commo",
        ),
        (
            {"source_vocabulary": "", "target_vocabulary": "", "by_rank": 0},
            "--without_unknown needs --source_vocabulary and --target_vocabulary: ",
        ),
        (
            {"target_vocabulary": ""},
            "--without_unknown needs --target_vocabulary: a file of the reference's",
        ),
        ({"without_unknown": False}, "--target_vocabulary is for --without_unknown"),
        (
            {"without_unknown": False, "target_vocabulary": "", "by_rank": 0},
            "--source_vocabulary is for --by_rank and --without_unknown",
        ),
        ({"by_rank": 1}, "--by_rank=1: give at least two groups"),
        ({"by_rank": -2}, "--by_rank=-2: "),
    ],
)
def test_what_lacks_is_told(changes: dict[str, object], message: str) -> None:
    with pytest.raises(UserError, match=message) as error:
        check_needs(dataclasses.replace(WHOLE, **changes))
    assert "\n" not in str(error.value)
