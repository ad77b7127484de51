"""Options that make no sense are refused by name."""

from typing import Any

import pytest

from nmt.decoding.search_options import SearchOptions
from nmt.errors import UserError


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"normalization": "none"}, "normalization 'none': choose wu or mean"),
        (
            {"length_penalty": -0.1},
            "length_penalty -0.1: must be between 0 and 1,000,000",
        ),
        ({"coverage_penalty": float("nan")}, "coverage_penalty nan"),
        ({"min_length": -1}, "min_length -1: must be between"),
        ({"no_repeat_ngram_size": -1}, "no_repeat_ngram_size -1: must be between"),
        ({"top_k": -1}, "top_k -1: must be between"),
        ({"top_p": 0.0}, "top_p 0.0: must be between 1e-06 and 1"),
        ({"top_p": 1.1}, "top_p 1.1: must be between"),
        ({"temperature": 0.0}, "temperature 0.0: must be between"),
        ({"temperature": float("inf")}, "temperature inf: must be between"),
        ({"diversity": float("inf")}, "diversity inf: must be between 0 and"),
        ({"length_penalty": 1e39}, "length_penalty 1e[+]39: must be between"),
        ({"top_k": 1 << 40}, "top_k 1099511627776: must be between 0 and"),
        (
            {"no_repeat_ngram_size": 101},
            "no_repeat_ngram_size 101: must be between 0 and 100",
        ),
        ({"seed": 1 << 31}, "seed 2147483648: must be between"),
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
    with pytest.raises(UserError, match="beam_size 0: must be between 1 and"):
        SearchOptions().check(beam_size=0)
    with pytest.raises(UserError, match="beam_size 10001: must be between 1 and"):
        SearchOptions().check(beam_size=10_001)
    SearchOptions(groups=4, diversity=0.0).check(beam_size=4)
