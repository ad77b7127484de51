"""Requests are joined where they can be, and everyone gets his own rows."""

import threading

import numpy as np
import pytest

from nmt.serving.batcher import Arrays, Batcher


class Recorder:
    """Runs: gives x times ten, and fails for negative numbers; notes every call."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, int]] = []
        self.may_run = threading.Event()

    def __call__(self, name: str, inputs: Arrays) -> Arrays:
        self.may_run.wait(10)
        self.calls.append((name, len(inputs["x"])))
        if (inputs["x"] < 0).any():
            raise ValueError("negative")
        return {"y": 10 * inputs["x"] * inputs.get("factor", 1)}


def run(
    requests: list[tuple[str, Arrays, bool]], max_batch_size: int = 8
) -> tuple[list[list[float] | None], list[tuple[str, int]]]:
    """Submits requests while a first one runs; returns answers and calls after it."""
    recorder = Recorder()
    batcher = Batcher(recorder, max_batch_size, max_wait=0.02)
    first = batcher.submit("first", {"x": np.zeros(1)}, False)
    futures = [batcher.submit(*request) for request in requests]
    recorder.may_run.set()
    first.result(10)
    answers: list[list[float] | None] = []
    for future in futures:
        if isinstance(future.exception(10), ValueError):
            answers.append(None)
        else:
            answers.append(future.result()["y"].tolist())
    batcher.close()
    return answers, recorder.calls[1:]


def rows(*values: float) -> Arrays:
    return {"x": np.array(values)}


def test_requests_are_joined_and_cut_again() -> None:
    answers, calls = run(
        [("a", rows(1), True), ("b", rows(5), True), ("a", rows(2, 3), True)]
    )
    assert answers == [[10], [50], [20, 30]]
    assert calls == [("a", 3), ("b", 1)]


def test_what_must_not_be_joined_is_not() -> None:
    factor = {"factor": np.array(2.0)}
    answers, calls = run(
        [
            ("a", rows(1), False),
            ("a", rows(2), True),
            ("a", rows(3) | factor, True),
            ("a", rows(4) | factor, True),
        ]
    )
    assert answers == [[10], [20], [60], [80]]
    assert calls == [("a", 1), ("a", 1), ("a", 2)]


def test_batches_are_no_larger_than_allowed() -> None:
    answers, calls = run([("a", rows(i), True) for i in range(5)], max_batch_size=2)
    assert answers == [[0], [10], [20], [30], [40]]
    assert [size for _, size in calls] == [2, 2, 1]
    assert run([("a", rows(1, 2, 3), True)], max_batch_size=2)[1] == [("a", 3)]


def test_an_error_is_only_the_requests_own() -> None:
    answers, calls = run(
        [("a", rows(1), True), ("a", rows(-1), True), ("a", rows(2), True)]
    )
    assert answers == [[10], None, [20]]
    assert [size for _, size in calls] == [3, 1, 1, 1]


def test_a_cancelled_request_is_not_run() -> None:
    recorder = Recorder()
    batcher = Batcher(recorder, 8, max_wait=0.0)
    batcher.submit("first", rows(0), False)
    assert batcher.submit("a", rows(1), True).cancel()
    last = batcher.submit("b", rows(2), True)
    recorder.may_run.set()
    assert last.result(10)["y"].tolist() == [20]
    batcher.close()
    assert recorder.calls == [("first", 1), ("b", 1)]
    with pytest.raises(RuntimeError, match="closed"):
        batcher.submit("a", rows(1), True)
