import pathlib

import pytest

from tools import measure_corpus


def test_text_is_repeated_to_the_wanted_number_of_lines(tmp_path: pathlib.Path) -> None:
    small, large = tmp_path / "small", tmp_path / "large"
    small.write_text("a\nb\u2028\nc", encoding="utf-8")
    measure_corpus.repeat(str(small), large, 7)
    assert large.read_text(encoding="utf-8") == "a\nb\u2028\nc\n" * 2 + "a\n"


def test_every_stage_is_measured(
    tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = tmp_path / "text"
    text.write_text("a b\nc\n")
    flags = ["--source", str(text), "--target", str(text), "--pairs", "50"]
    monkeypatch.setattr("sys.argv", ["measure_corpus.py", *flags])
    measure_corpus.main()
    lines = capsys.readouterr().out.splitlines()
    assert [line[:18].rstrip() for line in lines[:5]] == [
        "source vocabulary",
        "target vocabulary",
        "corpus encoded",
        "first batch",
        "first update",
    ]
    assert all("GB at the peak" in line for line in lines[:5])
    assert lines[5] == "50 pairs of 150 words"
