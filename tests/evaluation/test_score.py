"""Scores as data."""

import dataclasses

from nmt.evaluation.score import Score


def test_score_becomes_plain_data() -> None:
    assert dataclasses.asdict(Score("bleu", 12.5, "nrefs:1")) == {
        "name": "bleu",
        "value": 12.5,
        "signature": "nrefs:1",
        "details": "",
    }
