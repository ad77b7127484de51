"""From file to file, and what is refused."""

import gzip
import pathlib

import pytest
from absl import logging

from nmt.decoding.files import decode_file
from nmt.decoding.request import DecodingRequest
from nmt.decoding.translation_options import TranslationOptions
from nmt.decoding.translator import Translator
from nmt.errors import UserError
from nmt.models.run_folder import LoadedModel
from tests import tiny_models


@pytest.fixture(scope="module")
def loaded() -> LoadedModel:
    return tiny_models.random_model()


@pytest.fixture(scope="module")
def run_dir(loaded: LoadedModel, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("runs") / "run"
    return str(tiny_models.write_run_folder(loaded, folder).path)


def test_file_becomes_file_line_by_line(
    loaded: LoadedModel, run_dir: str, tmp_path: pathlib.Path
) -> None:
    text = "w1 w2\r\n\n \u00a0\nw3\u2028w4\nunheard w5".encode()
    with gzip.open(tmp_path / "in.gz", "wb") as source:
        source.write(text)
    output = tmp_path / "out"
    report = decode_file(
        DecodingRequest((run_dir,), input=str(tmp_path / "in.gz"), output=str(output))
    )
    expected = Translator(loaded).translate(
        ["w1 w2", "", "\u00a0", "w3\u2028w4", "unheard w5"]
    )
    assert output.read_text(encoding="utf-8").split("\n") == [
        *(translation.text for translation in expected),
        "",
    ]
    assert report.sentences == 5
    assert report.blank.first == [2, 3]


def test_moses_lists_have_n_best_lines(run_dir: str, tmp_path: pathlib.Path) -> None:
    (tmp_path / "in").write_text("w1 w2\nw3\n", encoding="utf-8")
    request = DecodingRequest(
        (run_dir,),
        input=str(tmp_path / "in"),
        output=str(tmp_path / "out"),
        format="moses",
        options=TranslationOptions(beam_size=5, n_best=3),
    )
    decode_file(request)
    rows = (tmp_path / "out").read_text(encoding="utf-8").splitlines()
    assert [row.split(" ||| ")[0] for row in rows] == ["0"] * 3 + ["1"] * 3


def test_unfinished_lines_are_warned_of(
    run_dir: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    warnings = []
    monkeypatch.setattr(logging, "warning", lambda *parts: warnings.append(parts))
    unending = tiny_models.random_model()
    bias = unending.model.decoder.projection.bias
    bias.assign([0.0] * 3 + [-50.0] + [0.0] * (len(bias.numpy()) - 4))
    folder = tiny_models.write_run_folder(unending, tmp_path / "run")
    (tmp_path / "in").write_text("w1\n\nw2\n", encoding="utf-8")
    report = decode_file(
        DecodingRequest(
            (str(folder.path),),
            input=str(tmp_path / "in"),
            output=str(tmp_path / "out"),
        )
    )
    assert report.unfinished.first == [1, 3]
    assert "unfinished at the length limit: 2 (lines 1, 3)" in warnings[0][1]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"options": TranslationOptions(8, 9), "format": "moses"}, "n_best 9 .* 8 hyp"),
        (
            {"options": TranslationOptions(n_best=5), "format": "jsonl"},
            "n_best 5 .* 4 hyp",
        ),
        ({"options": TranslationOptions(n_best=2)}, "--format=moses"),
        ({"format": "xml"}, "format 'xml': choose text, moses, jsonl"),
        ({"input": "missing"}, "missing: no such file"),
        ({"output": "no/such/folder/out"}, "no/such/folder/out"),
        ({"run_dirs": ("nowhere",)}, "nowhere"),
        ({"input": "latin"}, "latin:2: invalid UTF-8"),
    ],
)
def test_refused_before_a_model_is_loaded(
    run_dir: str,
    tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
    changed: dict[str, object],
    message: str,
) -> None:
    def load_model(self: object, weights: str) -> None:
        pytest.fail("the model was loaded")

    monkeypatch.setattr("nmt.models.run_folder.RunFolder.load_model", load_model)
    monkeypatch.chdir(tmp_path)
    pathlib.Path("in").write_text("w1\n", encoding="utf-8")
    pathlib.Path("latin").write_bytes(b"w1\n\xe9t\xe9\n")
    given = {"run_dirs": (run_dir,), "input": "in", "output": "out", **changed}
    with pytest.raises(UserError, match=message):
        decode_file(DecodingRequest(**given))
    assert not pathlib.Path("out").exists()
