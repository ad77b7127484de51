"""nmt-decode from its flags to its output."""

import dataclasses
import pathlib
import subprocess
import sys

import pytest

from nmt.cli import decode
from nmt.decoding.request import DecodingRequest
from nmt.decoding.search_options import SearchOptions
from nmt.decoding.translation_options import TranslationOptions
from nmt.decoding.translator import Translator
from nmt.models.run_folder import LoadedModel
from tests import tiny_models

ROOT = pathlib.Path(__file__).parents[2]


@pytest.fixture(scope="module")
def loaded() -> LoadedModel:
    return tiny_models.random_model()


@pytest.fixture(scope="module")
def run_dir(loaded: LoadedModel, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("runs") / "run"
    return str(tiny_models.write_run_folder(loaded, folder).path)


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["nmt-decode", *arguments])
    with pytest.raises(SystemExit) as ended:
        decode.run()
    return ended.value.code or 0


def test_flags_reach_the_search(
    loaded: LoadedModel,
    run_dir: str,
    tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    source, output = tmp_path / "in", tmp_path / "out"
    source.write_text("w1 w2 w3\n", encoding="utf-8")
    flags = [f"--run_dir={run_dir}", f"--input={source}", f"--output={output}"]
    flags += ["--beam_size=3", "--n_best=2", "--format=moses", "--batch_size=5"]
    assert run(monkeypatch, *flags) == 0
    options = TranslationOptions(beam_size=3, n_best=2)
    (translation,) = Translator(loaded).translate(["w1 w2 w3"], options)
    written = [row.split(" ||| ") for row in output.read_text().splitlines()]
    assert [row[1] for row in written] == [each.text for each in translation.n_best]
    for row, each in zip(written, translation.n_best, strict=True):
        assert float(row[3]) == pytest.approx(each.log_prob, abs=1e-4)


FLAGS = {
    "run_dir": "a,b",
    "checkpoint": "average",
    "weights": "1,2.5",
    "combination": "log_linear",
    "input": "in",
    "prefix": "begin",
    "shard": "2/3",
    "output": "out",
    "format": "jsonl",
    "n_best": 2,
    "alignments": "links",
    "alignment_format": "matrix",
    "replace_unknown": True,
    "dictionary": "words",
    "long_lines": "cut",
    "max_source_length": 70,
    "batch_size": 5,
    "beam_size": 6,
    "keep_finished": True,
    "length_penalty": 0.6,
    "normalization": "mean",
    "coverage_penalty": 0.2,
    "groups": 3,
    "diversity": 0.7,
    "sample": True,
    "temperature": 0.8,
    "top_k": 9,
    "top_p": 0.9,
    "seed": 4,
    "min_length": 1,
    "no_repeat_ngram_size": 2,
    "forbid_unknown": True,
}


def requests(
    monkeypatch: pytest.MonkeyPatch, *arguments: str
) -> tuple[DecodingRequest, ...]:
    """What the flags ask for, which is not done."""
    made: list[DecodingRequest] = []
    monkeypatch.setattr("nmt.decoding.decode_file", made.append)
    assert run(monkeypatch, *arguments) == 0
    return tuple(made)


def test_every_flag_is_a_part_of_the_request(monkeypatch: pytest.MonkeyPatch) -> None:
    given = [f"--{name}={value}" for name, value in FLAGS.items()]
    (request,) = requests(monkeypatch, *given)
    parts = (request, request.options, request.options.search)
    found = {
        field.name: getattr(part, field.name)
        for part in parts
        for field in dataclasses.fields(part)
    }
    expected = FLAGS | {"run_dirs": ("a", "b"), "weights": (1.0, 2.5)}
    del expected["run_dir"]
    # What has no flag: files and flags make it, or the library alone has it.
    others = {"options", "search", "forbidden_ids"}
    assert expected.keys() | others == found.keys()
    assert request.dictionary == "words"
    for name in expected.keys() - {"dictionary", "alignments"}:
        assert found[name] == expected[name], name
    assert request.alignments == "links"


def test_flags_that_are_not_given_are_the_defaults(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (request,) = requests(monkeypatch, "--run_dir=a")
    assert request == DecodingRequest(("a",))
    assert request.options.search == SearchOptions()
    (request,) = requests(monkeypatch, "--run_dir=a", "--dictionary=words")
    assert request.replace_unknown


@pytest.mark.parametrize(
    ("flag", "message"),
    [
        ("--n_best=99", "n_best 99"),
        ("--beam_size=0", "--beam_size=0"),
        ("--checkpoint=worst", "--checkpoint=worst"),
        ("--input=missing.en", "missing.en: no such file"),
        ("--checkpoint=last", "last: no saved weights"),
        ("--weights=1,x", "weights: could not convert"),
        ("--shard=1/2", "shard 1/2 needs --input=FILE"),
        ("--replace_unknown", "replacing unknown words: no model has attention"),
        ("--alignments=links", "alignments: no model has attention"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    run_dir: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    flag: str,
    message: str,
) -> None:
    assert run(monkeypatch, f"--run_dir={run_dir}", "--format=moses", flag) == 1
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_pipe_is_answered_line_by_line(loaded: LoadedModel, run_dir: str) -> None:
    command = [sys.executable, "-m", "nmt.cli.decode", f"--run_dir={run_dir}"]
    process = subprocess.Popen(
        [*command, "--batch_size=1"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
    )
    lines = ["w1 w2", "", "w\u20283 w4"]
    expected = [each.text for each in Translator(loaded).translate(lines)]
    for line, text in zip(lines, expected, strict=True):
        process.stdin.write(f"{line}\n".encode())
        process.stdin.flush()
        assert process.stdout.readline().decode() == f"{text}\n"
    rest, log = process.communicate(timeout=60)
    assert (rest, process.returncode) == (b"", 0)
    assert "3 lines in " in log.decode()
    assert "blank: 1 (lines 2)" in log.decode()


def test_reader_that_goes_away_ends_it_quietly(run_dir: str) -> None:
    command = [sys.executable, "-m", "nmt.cli.decode", f"--run_dir={run_dir}"]
    process = subprocess.Popen(
        [*command, "--batch_size=1"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
    )
    process.stdin.write(b"w1\n")
    process.stdin.flush()
    assert process.stdout.readline().endswith(b"\n")
    process.stdout.close()
    _, log = process.communicate(b"w2\nw3\n", timeout=60)
    assert process.returncode == 141
    assert b"Error" not in log
    assert b"Traceback" not in log
