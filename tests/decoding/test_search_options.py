"""Options that make no sense are refused by name."""

from typing import Any

import pytest

from nmt.decoding.search_options import SearchOptions
from nmt.errors import UserError


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"normalization": "none"}, "normalization 'none': choose wu or mean"),
        ({"length_penalty": -0.1}, "length_penalty -0.1: must not be negative"),
        ({"coverage_penalty": float("nan")}, "coverage_penalty nan"),
        ({"min_length": -1}, "min_length -1: must not"),
        ({"no_repeat_ngram_size": -1}, "no_repeat_ngram_size -1: must not"),
        ({"top_k": -1}, "top_k -1: must not"),
        ({"top_p": 0.0}, "top_p 0.0: must be above 0 and at most 1"),
        ({"top_p": 1.1}, "top_p 1.1: must be"),
        ({"temperature": 0.0}, "temperature 0.0: must be above 0"),
        ({"groups": 0}, "groups 0: the beam of 4 cannot"),
        ({"groups": 3}, "groups 3: the beam of 4 cannot"),
        ({"groups": 2, "sample": True}, "groups and sample exclude each other"),
        ({"groups": 2, "keep_finished": True}, "keep_finished and groups exclude"),
    ],
)
def test_what_makes_no_sense_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        SearchOptions(**options).check(beam_size=4)


def test_the_beam_has_at_least_one_hypothesis() -> None:
    with pytest.raises(UserError, match="beam_size 0: must be at least 1"):
        SearchOptions().check(beam_size=0)
    SearchOptions(groups=4, diversity=0.0).check(beam_size=4)
