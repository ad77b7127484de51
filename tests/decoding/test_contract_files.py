"""What docs/decoding.md promises of files: every line has its answer."""

import dataclasses
import json
import os
import pathlib
import random
from typing import Any

import numpy as np
import pytest

from nmt.config import DecodingConfig
from nmt.decoding.ensemble import Ensemble
from nmt.decoding.files import decode_file
from nmt.decoding.loading import load_ensemble
from nmt.decoding.report import DecodingReport
from nmt.decoding.request import DecodingRequest
from nmt.decoding.translation_options import TranslationOptions
from nmt.errors import UserError
from tests import tiny_models
from tests.decoding.looking_copier import looking_copier

LONG = " ".join(random.Random(1).choices(tiny_models.WORDS, k=5000))


@pytest.fixture(autouse=True)
def in_folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Works in a folder with a run whose model copies the source."""
    loaded = looking_copier(reverse_source=True)
    # The limit of 5,000 tokens is long enough; twice as many take twice as long.
    decoding = DecodingConfig(max_length_factor=1.0, max_length_offset=1)
    loaded = tiny_models.with_decoding(loaded, **vars(decoding))
    monkeypatch.chdir(tmp_path)
    pathlib.Path("run").mkdir()
    pathlib.Path("run/config.json").write_text(loaded.config.to_json())
    monkeypatch.setattr(
        "nmt.decoding.files.load_ensemble", lambda request: Ensemble([loaded])
    )


def decode(content: bytes, **request: Any) -> DecodingReport:
    pathlib.Path("in").write_bytes(content)
    given = {"run_dirs": ("run",), "input": "in", "output": "out", **request}
    return decode_file(DecodingRequest(**given))


def written(path: str = "out") -> list[str]:
    content = pathlib.Path(path).read_bytes().decode()
    assert content.endswith("\n")
    return content.split("\n")[:-1]


LINES = [
    ("w1 w2", "w1 w2"),
    ("", ""),
    ("   ", ""),
    ("\u00a0\u3000", ""),
    ("\t", ""),
    (LONG, LONG),
    ("w1 \U0001f600 w2", "w1 <unk> w2"),
    ("w1 \x00\x07\x1b w2\x85", "w1 <unk> <unk>"),
    ("w3\u2028w4 w5", "<unk> w5"),
    ("w6\x0bw7\x0cw8", "w6 w7 w8"),
    ("w1 </s> <pad> w2", "w1 <unk> <unk> w2"),
    (" w9  w10 ", "w9 w10"),
    ("", ""),
]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_one_line_in_one_line_out(end: str) -> None:
    lines = LINES if end == "\n" else [each for each in LINES if each[0] != LONG]
    content = end.join(source for source, _ in lines) + end + "w11"
    report = decode(content.encode())
    assert written() == [*(target for _, target in lines), "w11"]
    assert report.sentences == len(lines) + 1
    blank = [place for place, (_, target) in enumerate(lines, 1) if not target]
    assert report.blank.first == blank
    assert report.unfinished.count == 0
    assert report.long.first == ([6] if end == "\n" else [])


def test_file_without_lines_is_an_empty_file() -> None:
    assert decode(b"").sentences == 0
    assert pathlib.Path("out").read_bytes() == b""


def test_file_of_blank_lines() -> None:
    assert decode(b"\n \n\n").blank.count == 3
    assert written() == ["", "", ""]


def long_lines(choice: str, **request: Any) -> DecodingReport:
    content = b"w1\nw2 w3 w4\nw5 w6\n\nw7 w8 w9 w10\n"
    options = TranslationOptions(long_lines=choice, max_source_length=2)
    return decode(content, options=options, **request)


def test_long_lines_are_translated_whole_and_counted() -> None:
    report = long_lines("translate")
    assert written() == ["w1", "w2 w3 w4", "w5 w6", "", "w7 w8 w9 w10"]
    assert report.long.first == [2, 5]
    assert report.cut.count == 0
    assert not report.has_losses


def test_long_lines_are_cut_and_counted() -> None:
    report = long_lines("cut")
    assert written() == ["w1", "w2 w3", "w5 w6", "", "w7 w8"]
    assert report.long.first == report.cut.first == [2, 5]
    assert "of these cut: 2 (lines 2, 5)" in report.text()


def test_long_lines_are_refused_with_their_number() -> None:
    with pytest.raises(UserError, match="line 2 of the input has 3 tokens, more"):
        long_lines("refuse")
    assert not pathlib.Path("out").exists()


def test_line_numbers_are_those_of_the_whole_file() -> None:
    assert long_lines("cut", shard="2/2").cut.first == [5]
    assert long_lines("translate", shard="2/2").blank.first == [4]
    with pytest.raises(UserError, match="line 5 of the input has 4 tokens"):
        long_lines("refuse", shard="2/2")


FORMATS = {
    "text": {"options": TranslationOptions(2)},
    "moses": {"options": TranslationOptions(3, n_best=2)},
    "jsonl": {"options": TranslationOptions(2, n_best=2)},
}


@pytest.mark.parametrize("name", FORMATS)
def test_joined_shards_are_the_whole(name: str) -> None:
    sentences = [" ".join(tiny_models.WORDS[i : 2 * i]) for i in range(10)]
    content = "".join(f"{line}\n" for line in sentences).encode()
    kind = "pharaoh" if name == "text" else "matrix"
    settings = {"format": name, "alignment_format": kind, **FORMATS[name]}
    decode(content, alignments="links", **settings)
    whole = [pathlib.Path(path).read_bytes() for path in ("out", "links")]
    assert len(whole[0].splitlines()) >= 10
    joined = [b"", b""]
    for number in (1, 2, 3):
        decode(content, alignments="links", shard=f"{number}/3", **settings)
        for place, path in enumerate(("out", "links")):
            joined[place] += pathlib.Path(path).read_bytes()
    assert joined == whole
    if name != "text":
        ids = [
            json.loads(row)["id"] if name == "jsonl" else int(row.split()[0])
            for row in joined[0].decode().splitlines()
        ]
        assert sorted(set(ids)) == list(range(10))


def test_shard_of_what_cannot_be_counted_is_refused() -> None:
    os.mkfifo("pipe")
    request = DecodingRequest(("run",), input="pipe", shard="1/2")
    with pytest.raises(UserError, match="shard 1/2 needs a file: the lines of pipe"):
        decode_file(request)


def test_shards_may_be_empty() -> None:
    parts = [decode(b"w1\nw2\n", shard=f"{k}/3").sentences for k in (1, 2, 3)]
    assert sum(parts) == 2
    assert min(parts) == 0


def test_alignments_go_line_by_line_with_the_output() -> None:
    decode(b"w1 w2 w3\n\nw4\n", alignments="links")
    assert written("links") == ["0-0 1-1 2-2", "", "0-0"]
    options = TranslationOptions(3, n_best=3)
    decode(
        b"w1 w2\n\n",
        format="moses",
        options=options,
        alignments="links",
        alignment_format="matrix",
    )
    assert len(written()) == len(written("links")) == 4
    best = json.loads(written("links")[0])
    assert best["target_tokens"] == ["w1", "w2", "</s>"]
    np.testing.assert_array_equal(best["alignment"], np.eye(3))


def test_unknown_words_are_replaced_by_those_of_a_dictionary() -> None:
    pathlib.Path("words").write_text("Ann\tAnne\n", encoding="utf-8")
    decode(b"Ann w1 Bob\n", replace_unknown=True, dictionary="words")
    assert written() == ["Anne w1 Bob"]


def test_json_line_keeps_the_tokens_that_the_model_wrote() -> None:
    decode(b"Ann w1\n", replace_unknown=True, format="jsonl")
    (best,) = json.loads(written()[0])["n_best"]
    assert (best["text"], best["tokens"]) == ("Ann w1", ["<unk>", "w1"])
    # The model attends: what it looked at is told without being asked for.
    np.testing.assert_array_equal(best["alignment"], np.eye(3))


def test_prefixes_begin_the_translations() -> None:
    pathlib.Path("begin").write_text("w20 w21\n\nw22\n\n", encoding="utf-8")
    decode(b"w1 w2 w3\nw4\n\nw5\n", prefix="begin")
    # The copier goes on where it would be; a blank line stays blank.
    assert written() == ["w20 w21 w3", "w4", "", "w5"]
    decode(b"w1 w2 w3\nw4\n\nw5\n", prefix="begin", shard="2/2")
    assert written() == ["", "w5"]


@pytest.mark.parametrize("content", [b"w1\n", b"w1\nw2\nw3\n"])
def test_more_or_fewer_prefixes_than_lines_are_refused(
    content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr("nmt.decoding.files.load_ensemble")
    pathlib.Path("begin").write_text("w20\n\n", encoding="utf-8")
    lines = content.count(b"\n")
    with pytest.raises(UserError, match=f"in has {lines} lines but begin has 2"):
        decode(content, prefix="begin")


def test_list_above_the_beam_needs_no_weights_to_be_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr("nmt.decoding.files.load_ensemble")
    # The run folder has settings and nothing else.
    options = TranslationOptions(beam_size=2, n_best=3)
    with pytest.raises(UserError, match="n_best 3 is more than the 2 hypotheses"):
        decode(b"w1\n", format="moses", options=options)
    assert not pathlib.Path("out").exists()


def test_models_of_other_vocabularies_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("nmt.decoding.files.load_ensemble", load_ensemble)
    one = tiny_models.random_model(num_layers=1)
    words = [*tiny_models.WORDS[:19], "other"]
    other = dataclasses.replace(one, target_codec=tiny_models.codec(words))
    for name, loaded in {"a": one, "b": other}.items():
        tiny_models.write_run_folder(loaded, pathlib.Path(name))
    with pytest.raises(UserError, match=r"a and b make no ensemble: .* row \d+"):
        decode(b"w1\n", run_dirs=("a", "b"))
    assert not pathlib.Path("out").exists()
