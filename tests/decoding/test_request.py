"""What is asked for: defaults filled in, nonsense refused."""

import dataclasses
import pathlib
import sys
from typing import Any

import pytest

from nmt.decoding.request import DecodingRequest, read_dictionary
from nmt.decoding.search_options import SearchOptions
from nmt.decoding.translation_options import TranslationOptions
from nmt.errors import UserError
from tests import tiny_models


@pytest.fixture(scope="module")
def run_dir(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("runs") / "run"
    loaded = tiny_models.random_model(num_layers=1)
    return str(tiny_models.write_run_folder(loaded, folder).path)


@pytest.fixture
def asked_for(run_dir: str) -> DecodingRequest:
    return DecodingRequest((run_dir,), input="in", output="out")


def test_defaults_are_those_of_the_run_folder(asked_for: DecodingRequest) -> None:
    options = asked_for.resolved().options
    assert (options.beam_size, options.batch_size) == (4, 64)
    assert not options.alignments
    assert options.dictionary is None


def test_typed_lines_are_answered_one_by_one(
    asked_for: DecodingRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed = dataclasses.replace(asked_for, input="-")
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    assert typed.resolved().options.batch_size == 1
    given = dataclasses.replace(typed, options=TranslationOptions(batch_size=7))
    assert given.resolved().options.batch_size == 7
    monkeypatch.setattr(sys.stdin, "isatty", lambda: False)
    assert typed.resolved().options.batch_size == 64


def test_files_that_are_asked_for_are_made_options(
    asked_for: DecodingRequest, tmp_path: pathlib.Path
) -> None:
    asked = dataclasses.replace(asked_for, alignments="a", replace_unknown=True)
    assert asked.resolved().options.alignments
    assert asked.resolved().options.dictionary == {}
    (tmp_path / "words").write_text("dog\tchien\n", encoding="utf-8")
    asked = dataclasses.replace(asked_for, dictionary=str(tmp_path / "words"))
    assert asked.resolved().options.dictionary == {"dog": "chien"}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"run_dirs": ()}, "run_dir: name at least one"),
        ({"format": "xml"}, "'xml': choose text, moses, jsonl"),
        ({"alignment_format": "xml"}, "'xml': choose pharaoh, matrix"),
        ({"options": TranslationOptions(n_best=2)}, "n_best 2 needs --format=moses or"),
        ({"shard": "4/3"}, "shard '4/3': give K/N"),
        ({"shard": "1/3", "input": "-"}, "shard 1/3 needs --input=FILE"),
        ({"input": "-", "prefix": "-"}, "cannot both be standard input"),
        ({"alignments": "out"}, "output and alignments are both out"),
        (
            {"output": "-", "alignments": "-"},
            "output and alignments cannot both be standard",
        ),
        ({"weights": (1.0, 2.0)}, "got 2 for 1 models"),
        ({"weights": (-1.0,)}, "-1.0 is not a positive number"),
        ({"dictionary": "missing"}, "missing: no such file"),
        ({"run_dirs": ("missing",)}, "missing"),
        (
            {"options": TranslationOptions(2, 3), "format": "jsonl"},
            "n_best 3 is more than the 2",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(
    asked_for: DecodingRequest, changed: dict[str, Any], message: str
) -> None:
    with pytest.raises(UserError, match=message):
        dataclasses.replace(asked_for, **changed).resolved()


def test_later_run_folders_must_exist_too(asked_for: DecodingRequest) -> None:
    run_dirs = (*asked_for.run_dirs, "missing")
    with pytest.raises(UserError, match="missing"):
        dataclasses.replace(asked_for, run_dirs=run_dirs).resolved()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (TranslationOptions(), "beam of 4, length penalty 0, batches of 64"),
        (
            TranslationOptions(2, search=SearchOptions(normalization="mean")),
            "beam of 2, mean over the tokens",
        ),
        (
            TranslationOptions(search=SearchOptions(sample=True, temperature=0.7)),
            "4 samples, temperature 0.7",
        ),
    ],
)
def test_log_says_what_is_done(
    asked_for: DecodingRequest, options: TranslationOptions, said: str
) -> None:
    text = dataclasses.replace(asked_for, options=options).resolved().text()
    assert text.startswith(f"{asked_for.run_dirs[0]}, best weights: ")
    assert said in text


def test_dictionary_takes_the_first_of_several_rows(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "words"
    path.write_text("dog\tchien\n Ann \tAnne Marie\ndog\tcabot\n", encoding="utf-8")
    assert read_dictionary(str(path)) == {"dog": "chien", "Ann": "Anne Marie"}


@pytest.mark.parametrize("row", ["dog chien", "dog\t", "\tchien", ""])
def test_row_that_is_no_pair_is_named(tmp_path: pathlib.Path, row: str) -> None:
    path = tmp_path / "words"
    path.write_text(f"a\tb\n{row}\n", encoding="utf-8")
    with pytest.raises(UserError, match="words:2: expected a source word, a tab"):
        read_dictionary(str(path))
