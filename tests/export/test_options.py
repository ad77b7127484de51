"""What is fixed at export is what a translator would be told."""

import pathlib

import pytest

from nmt.config import Config, DecodingConfig
from nmt.decoding import SearchOptions
from nmt.errors import UserError
from nmt.export import ServingOptions


def test_the_settings_fill_in_what_is_open() -> None:
    config = Config(decoding=DecodingConfig(beam_size=5, length_penalty=0.6))
    found = ServingOptions().resolved(config)
    assert (found.beam_size, found.n_best, found.search.alpha) == (5, 5, 0.6)
    assert (found.long_lines, found.max_source_length) == ("cut", 1000)
    assert found.dictionary is None
    given = ServingOptions(beam_size=3, n_best=2, replace_unknown=True).resolved(config)
    assert (given.beam_size, given.n_best, given.dictionary) == (3, 2, {})


def test_a_dictionary_is_read_and_used(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "words"
    path.write_text("a\tb\n")
    found = ServingOptions(dictionary=str(path)).resolved(Config())
    assert found.dictionary == {"a": "b"}
    with pytest.raises(UserError, match="no such file"):
        ServingOptions(dictionary="nowhere").resolved(Config())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (ServingOptions(search=SearchOptions(sample=True)), "draws no samples"),
        (ServingOptions(beam_size=2, n_best=3), "n_best 3"),
        (ServingOptions(max_source_tokens=0), "max_source_length 0"),
    ],
)
def test_what_makes_no_sense(options: ServingOptions, message: str) -> None:
    with pytest.raises(UserError, match=message):
        options.resolved(Config())
