"""Trained models side by side on a test set."""

import math
import pathlib

import pytest

from nmt.data.pipeline import source_batch, target_batch
from nmt.models.run_folder import LoadedModel
from tests import tiny_models
from tools import compare_runs

SOURCES = ["w1 w2 w3", "w4", "w5 w6 w9 w2"]
REFERENCES = ["w1 w2", "w25 w7 w3", "w4"]  # w25 is unknown


@pytest.fixture
def loaded() -> LoadedModel:
    return tiny_models.random_model()


@pytest.fixture
def text(tmp_path: pathlib.Path) -> list[str]:
    for name, lines in (("source", SOURCES), ("reference", REFERENCES)):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
    return [str(tmp_path / name) for name in ("source", "reference")]


def test_perplexity_is_over_all_tokens(loaded: LoadedModel, text: list[str]) -> None:
    source = source_batch(loaded.source_codec.encode(SOURCES), reverse=True)
    target = target_batch(loaded.target_codec.encode(REFERENCES))
    sums = loaded.model.losses(source, target)
    assert sums.tokens == 9
    expected = math.exp(float(sums.nats) / 9)
    assert compare_runs.perplexity(loaded, *text) == pytest.approx(expected, rel=1e-5)


def test_every_run_has_a_row(
    loaded: LoadedModel,
    text: list[str],
    tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    runs = [str(tmp_path / name) for name in ("a", "b")]
    for run in runs:
        tiny_models.write_run_folder(loaded, pathlib.Path(run))
    flags = ["--run_dir", ",".join(runs), "--source", text[0], "--reference", text[1]]
    monkeypatch.setattr("sys.argv", ["compare_runs.py", *flags])
    compare_runs.main()
    lines = capsys.readouterr().out.splitlines()
    for run in runs:
        assert [f"{run}: perplexity" in line for line in lines].count(True) == 1
    (tested,) = [line for line in lines if "paired bootstrap" in line]
    # Both are the same model.
    assert tested.startswith(f"{runs[1]}: paired bootstrap, 1,000 samples: p = 1.0000")
    assert lines[-1].startswith("nrefs:1|bs:1000|seed:12345|")
