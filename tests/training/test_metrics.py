"""The log of figures."""

import json
import pathlib

import pytest
import tensorflow as tf

from nmt.training.metrics import MetricsLog


def records(path: pathlib.Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_figures_are_lines_and_events(tmp_path: pathlib.Path) -> None:
    with MetricsLog(tmp_path / "m.jsonl", tmp_path / "events", 0) as metrics:
        metrics.write("training", 3, perplexity=7.5, signature="x")
    assert records(tmp_path / "m.jsonl") == [
        {"kind": "training", "update": 3, "perplexity": 7.5, "signature": "x"}
    ]
    (file,) = (tmp_path / "events").iterdir()
    values = [
        (event.step, value.tag, float(tf.make_ndarray(value.tensor)))
        for event in tf.compat.v1.train.summary_iterator(str(file))
        for value in event.summary.value
    ]
    assert values == [(3, "training/perplexity", pytest.approx(7.5))]


def test_what_a_resumed_run_repeats_stands_once(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "m.jsonl"
    with MetricsLog(path, tmp_path / "events", 0) as metrics:
        for update in (1, 2, 3):
            metrics.write("training", update, perplexity=1.0)
    with path.open("a") as file:
        file.write('{"kind": "trai')  # cut by a kill
    with MetricsLog(path, tmp_path / "events", 2) as metrics:
        metrics.write("training", 3, perplexity=2.0)
    assert [(r["update"], r["perplexity"]) for r in records(path)] == [
        (1, 1.0),
        (2, 1.0),
        (3, 2.0),
    ]
