"""What the settings of a training fill in, and what is refused."""

import dataclasses
from typing import Any

import pytest

from nmt.config import Config, DataConfig, DecodingConfig
from nmt.data.vocabulary import UNK_ID
from nmt.decoding.search_options import SearchOptions
from nmt.decoding.translation_options import TranslationOptions
from nmt.errors import UserError

CONFIG = Config(
    data=DataConfig(max_source_length=70),
    decoding=DecodingConfig(beam_size=5, batch_size=32, length_penalty=0.6),
)


def test_what_is_left_open_is_as_in_the_training() -> None:
    options = TranslationOptions().resolved(CONFIG)
    assert (options.beam_size, options.batch_size) == (5, 32)
    assert options.max_source_length == 70
    assert options.search.length_penalty == 0.6
    assert options.resolved(Config()) == options


def test_what_is_given_stays() -> None:
    given = TranslationOptions(
        beam_size=3,
        n_best=2,
        batch_size=1,
        max_source_length=9,
        search=SearchOptions(length_penalty=0.0),
    )
    assert given.resolved(CONFIG) == given


def test_unknown_words_are_forbidden_beside_others() -> None:
    options = TranslationOptions(
        forbid_unknown=True, search=SearchOptions(forbidden_ids=(7,))
    )
    resolved = options.resolved(CONFIG)
    assert resolved.search.forbidden_ids == (7, UNK_ID)
    assert resolved.resolved(CONFIG) == resolved


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"n_best": 6}, "n_best 6 is more than the 5"),
        ({"beam_size": 2, "n_best": 3}, "n_best 3 is more than the 2"),
        ({"beam_size": 0}, "beam_size 0"),
        ({"n_best": 0}, "n_best 0: must be at least 1"),
        ({"batch_size": 0}, "batch_size 0: must be at least 1"),
        ({"max_source_length": 0}, "max_source_length 0: must be at least 1"),
        ({"long_lines": "drop"}, "'drop': choose translate, cut, refuse"),
        ({"search": SearchOptions(top_p=0.0)}, "top_p 0"),
        ({"search": SearchOptions(groups=2)}, "groups 2: the beam of 5"),
    ],
)
def test_what_makes_no_sense_is_refused(changed: dict[str, Any], message: str) -> None:
    options = dataclasses.replace(TranslationOptions(), **changed)
    with pytest.raises(UserError, match=message):
        options.resolved(CONFIG)
