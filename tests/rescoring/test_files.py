"""From files to files with tiny models; stopped and gone on with."""

import functools
import gzip
import json
import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from nmt.data.n_best import read_n_best
from nmt.data.vocabulary import EOS_ID
from nmt.decoding import Ensemble, Scorer
from nmt.decoding.files import decode_file
from nmt.decoding.request import DecodingRequest
from nmt.decoding.translation_options import TranslationOptions
from nmt.errors import UserError
from nmt.models.run_folder import LoadedModel
from nmt.rescoring import files
from nmt.rescoring.files import rescore_file
from nmt.rescoring.journal import Journal
from tests import tiny_models
from tests.rescoring.lists import LISTS, SOURCES, request_for, write_files

# Is told the place of the first list that is not reached.
Stop = Callable[[int], None]


@functools.cache
def model(name: str) -> LoadedModel:
    settings: dict[str, Any] = {"cell": "lstm"}
    if name == "gru":
        settings = {"cell": "gru", "attention": "bahdanau", "attention_size": 8}
    loaded = tiny_models.random_model(5 + len(name), scale=0.8, **settings)
    # It ends some of its sentences.
    bias = loaded.model.decoder.projection.bias
    bias.assign(bias + 1.5 * tf.one_hot(EOS_ID, bias.shape[0]))
    return loaded


@pytest.fixture(scope="module")
def run_dirs(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    folder = tmp_path_factory.mktemp("runs")
    lstm, gru = (
        str(tiny_models.write_run_folder(model(name), folder / name).path)
        for name in ("lstm", "gru")
    )
    return lstm, gru


@pytest.fixture
def stop_before(monkeypatch: pytest.MonkeyPatch) -> Stop:
    """Ends the program before the list of this place is in the journal."""

    def stop(place: int) -> None:
        append = Journal.append

        def stopping(journal: Journal, scored: Any) -> None:
            if journal.done == place:
                raise KeyboardInterrupt
            append(journal, scored)

        monkeypatch.setattr(files.Journal, "append", stopping)

    return stop


def names(folder: pathlib.Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_scores_of_several_models_and_their_ensemble(
    tmp_path: pathlib.Path, run_dirs: tuple[str, str]
) -> None:
    write_files(tmp_path)
    report = rescore_file(
        request_for(
            tmp_path,
            *run_dirs,
            n_best_output=str(tmp_path / "reordered.gz"),
            reference=str(tmp_path / "reference"),
        )
    )
    assert report.features == ("lstm", "gru", "ensemble")
    assert report.mix == {"total": 0.5, "ensemble": 0.5}
    systems = [each.system for each in report.scores]
    assert systems[:5] == ["1-best", "lstm", "gru", "ensemble", "mix"]
    scorer = Scorer(Ensemble([model("lstm"), model("gru")]))
    written = list(read_n_best(str(tmp_path / "output")))
    ordered = list(read_n_best(str(tmp_path / "reordered.gz")))
    for n_best_list, again in zip(written, ordered, strict=True):
        expected = scorer.score(SOURCES[n_best_list.id], n_best_list.hypotheses)
        found = [
            [line.features[name][0] for name in report.features]
            for line in n_best_list.lines
        ]
        np.testing.assert_allclose(found, expected.log_probs, rtol=0, atol=1e-4)
        mixed = [line.total + line.features["ensemble"][0] for line in again.lines]
        assert mixed == sorted(mixed, reverse=True)
    # "never", and "unheard"; "|||" is no word that the model knows, either.
    assert (report.hypotheses_with_unknown, report.unknown_words) == (1, 2)
    assert names(tmp_path) == {
        *("source", "reference", "n_best", "output", "reordered.gz")
    }


def test_a_second_rescoring_changes_nothing_but_what_it_adds(
    tmp_path: pathlib.Path, run_dirs: tuple[str, str]
) -> None:
    write_files(tmp_path)
    rescore_file(request_for(tmp_path, run_dirs[0]))
    second = request_for(
        tmp_path,
        run_dirs[0],
        n_best=str(tmp_path / "output"),
        output=str(tmp_path / "twice"),
        mix="weights=lstm:1",
    )
    assert rescore_file(second).features == ("lstm_2",)
    once = (tmp_path / "output").read_bytes().decode()
    twice = (tmp_path / "twice").read_bytes().decode()
    for each in read_n_best(str(tmp_path / "twice")):
        for line in each.lines:
            assert line.features["lstm"] == line.features["lstm_2"]
            (value,) = line.features["lstm_2"]
            assert f" lstm_2= {value:.6f}" in twice
            twice = twice.replace(f" lstm_2= {value:.6f}", "")
            once_more = f" lstm= {value:.6f}"
            assert once_more in once
    assert twice == once
    assert len(once) > len(LISTS)


@pytest.mark.parametrize(
    ("window", "place", "scored_again"),
    [
        # Every list alone: those that are done are not scored again.
        *((1, place, (0, 2, 3)[place:]) for place in (0, 1, 2)),
        # The first two together, then the last.
        (4, 1, (0, 2, 3)),
        (4, 2, (3,)),
        (99, 2, (0, 2, 3)),
    ],
)
def test_stopped_rescoring_goes_on_to_the_same_bytes(
    tmp_path: pathlib.Path,
    run_dirs: tuple[str, str],
    stop_before: Stop,
    monkeypatch: pytest.MonkeyPatch,
    window: int,
    place: int,
    scored_again: tuple[int, ...],
) -> None:
    write_files(tmp_path)
    monkeypatch.setattr(files, "WINDOW", window)
    outputs = {
        flag: str(tmp_path / flag)
        for flag in ("rerank", "n_best_output", "report_json")
    }
    request = request_for(
        tmp_path, run_dirs[1], reference=str(tmp_path / "reference"), **outputs
    )
    rescore_file(request)
    written = ["output", *outputs]
    expected = [(tmp_path / name).read_bytes() for name in written]
    for name in written:
        (tmp_path / name).unlink()
    with monkeypatch.context():
        stop_before(place)
        with pytest.raises(KeyboardInterrupt):
            rescore_file(request)
    monkeypatch.undo()
    monkeypatch.setattr(files, "WINDOW", window)
    journal = {".output.scores"} if place else set()
    assert names(tmp_path) == {"source", "reference", "n_best"} | journal
    scored: list[str] = []
    score = Scorer.score_lists

    def counting(scorer: Scorer, sources: list[str], *others: Any) -> Any:
        scored.extend(sources)
        return score(scorer, sources, *others)

    monkeypatch.setattr(Scorer, "score_lists", counting)
    rescore_file(request)
    assert scored == [SOURCES[i] for i in scored_again]
    assert [(tmp_path / name).read_bytes() for name in written] == expected
    assert ".output.scores" not in names(tmp_path)


def test_scores_of_other_models_are_not_gone_on_with(
    tmp_path: pathlib.Path,
    run_dirs: tuple[str, str],
    stop_before: Stop,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write_files(tmp_path)
    stop_before(2)
    with pytest.raises(KeyboardInterrupt):
        rescore_file(request_for(tmp_path, run_dirs[0]))
    monkeypatch.undo()
    rescore_file(request_for(tmp_path, run_dirs[1], output=str(tmp_path / "expected")))
    rescore_file(request_for(tmp_path, run_dirs[1]))
    assert (tmp_path / "output").read_bytes() == (tmp_path / "expected").read_bytes()


def test_lists_of_nmt_decode_get_the_same_numbers(
    tmp_path: pathlib.Path, run_dirs: tuple[str, str]
) -> None:
    write_files(tmp_path)
    decode_file(
        DecodingRequest(
            run_dirs,
            input=str(tmp_path / "source"),
            output=str(tmp_path / "n_best.gz"),
            format="moses",
            options=TranslationOptions(beam_size=4, n_best=4),
        )
    )
    rescore_file(request_for(tmp_path, *run_dirs, n_best=str(tmp_path / "n_best.gz")))
    compared = 0
    for each in read_n_best(str(tmp_path / "output")):
        for line in each.lines:
            # What was cut at the length limit has no end of sentence in its sum.
            if len(line.hypothesis.split()) < len(SOURCES[each.id].split()) + 3:
                found, printed = (line.features[x][0] for x in ("ensemble", "log_prob"))
                assert found == pytest.approx(printed, abs=1e-4)
                compared += 1
    assert compared >= 4


def test_tuned_weights_are_those_of_a_test_run(
    tmp_path: pathlib.Path, run_dirs: tuple[str, str]
) -> None:
    write_files(tmp_path)
    weights = tmp_path / "weights.json"
    others = {"reference": str(tmp_path / "reference"), "tune_restarts": 1}
    outputs = {"rerank": str(tmp_path / "best")}
    request = request_for(
        tmp_path, run_dirs[0], mix=f"tune:{weights}", **others, **outputs
    )
    tuned = rescore_file(request)
    best = (tmp_path / "best").read_text()
    request = request_for(
        tmp_path, run_dirs[0], mix=f"file:{weights}", **others, **outputs
    )
    assert rescore_file(request) == tuned
    assert (tmp_path / "best").read_text() == best
    assert set(json.loads(weights.read_text())["weights"]) == {"total", "lstm", "words"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"mix": "weights=LM2:1"},
            r"no finite 'LM2'; it has total, lstm, words, LM",
        ),
        ({"n_best": "nowhere"}, "nowhere: no such file"),
        (
            {"mix": "tune:w", "reference": "reference", "tune_features": ("LM2",)},
            "no finite 'LM2'",
        ),
        ({"checkpoint": "last"}, "last: no saved weights"),
        ({"bleu_tokenizer": "odd", "reference": "reference"}, "bleu_tokenizer 'odd'"),
        ({"output": "nowhere/output"}, "--output: nowhere/output: there is no folder"),
        ({"report": "nowhere/report"}, "--report: nowhere/report: there is no folder"),
        (
            {"reference": "reference", "bootstrap_samples": 10_000_000},
            "take too much memory",
        ),
    ],
)
def test_what_cannot_be_done_leaves_nothing(
    tmp_path: pathlib.Path,
    run_dirs: tuple[str, str],
    monkeypatch: pytest.MonkeyPatch,
    changes: dict[str, Any],
    message: str,
) -> None:
    write_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match=message):
        rescore_file(request_for(tmp_path, run_dirs[0], **changes))
    assert names(tmp_path) == {"source", "reference", "n_best"}


def test_standard_output_and_compressed_lists(
    tmp_path: pathlib.Path,
    run_dirs: tuple[str, str],
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    write_files(tmp_path)
    rescore_file(request_for(tmp_path, run_dirs[0]))
    (tmp_path / "n_best.gz").write_bytes(gzip.compress(LISTS.encode()))
    rescore_file(
        request_for(
            tmp_path, run_dirs[0], n_best=str(tmp_path / "n_best.gz"), output="-"
        )
    )
    assert capfdbinary.readouterr().out == (tmp_path / "output").read_bytes()
