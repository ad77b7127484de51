"""When the loop evaluates, saves and ends, with an update that costs nothing."""

import json
import pathlib

import numpy as np
import pytest
import tensorflow as tf

from nmt.config import TrainingConfig
from nmt.data import Batch
from nmt.distribution import Cluster
from nmt.errors import UserError
from nmt.evaluation import Score
from nmt.models.seq2seq import LossSum
from nmt.training.checkpoints import Counters
from nmt.training.loop import End, TrainingLoop
from nmt.training.metrics import MetricsLog
from nmt.training.step import StepResult
from nmt.training.validation import Evaluation

PAIRS, BATCH = 10, 4


class Parts:
    """Stands for data, step, validator and checkpoints; notes what happens."""

    def __init__(self, nonfinite: tuple[int, ...] = ()) -> None:
        self.nonfinite = nonfinite
        self.rates: list[float] = []
        self.scales: list[float] = []
        self.evaluated: list[int] = []
        self.saved: list[int] = []

    def batches(self, epoch: int, done: int) -> list[Batch]:
        sizes = [min(BATCH, PAIRS - start) for start in range(done, PAIRS, BATCH)]
        return [Batch(np.full((n, 2), 5), np.full((n, 3), 5)) for n in sizes]

    def __call__(
        self, source: np.ndarray, target: np.ndarray, rate: float, scale: float
    ) -> tuple[StepResult, bool]:
        self.rates.append(rate)
        self.scales.append(scale)
        rows = float(len(source))
        values = [tf.constant(value) for value in (rows, rows, 3 * rows, rows)]
        result = StepResult(LossSum(*values), tf.constant(1.0))
        return result, len(self.rates) not in self.nonfinite

    def measure(self, counters: Counters) -> Evaluation:
        self.evaluated.append(counters.update)
        counters.evaluations_without_gain += 1
        counters.last_evaluated = counters.update
        return Evaluation(1.0, 3.0, Score("bleu", 0.0, "none"))

    def save(self, counters: Counters) -> None:
        self.saved.append(counters.update)


def run(
    folder: pathlib.Path,
    config: TrainingConfig,
    parts: Parts,
    counters: Counters,
    cluster: Cluster | None = None,
) -> End:
    with MetricsLog(folder / "m.jsonl", folder / "events", 0) as metrics:
        return TrainingLoop(
            config, 100, parts, parts, parts, parts, metrics, counters, cluster
        ).run()


def settings(**changed: float | str) -> TrainingConfig:
    plain: dict[str, float | str] = {
        "schedule": "constant",
        "warmup_updates": 0,
        "patience": 0,
    }
    return TrainingConfig(**{**plain, **changed})


def test_epochs_end_training_within_an_epoch(tmp_path: pathlib.Path) -> None:
    parts, counters = Parts(), Counters(PAIRS, "")
    config = settings(max_epochs=2.3, checkpoint_every=0)
    assert run(tmp_path, config, parts, counters) is End.COMPLETE
    # Three updates an epoch, of 4, 4 and 2 pairs; 23 pairs are reached by the seventh.
    assert counters.update == 7
    assert (counters.epoch, counters.examples_in_epoch) == (2, 4)
    assert parts.evaluated == [3, 6, 7]
    assert parts.saved == [3, 6, 7]


def test_intervals_count_updates(tmp_path: pathlib.Path) -> None:
    parts = Parts()
    config = settings(max_updates=7, evaluate_every=3, checkpoint_every=2)
    run(tmp_path, config, parts, Counters(PAIRS, ""))
    assert parts.evaluated == [3, 6, 7]
    assert parts.saved == [2, 3, 4, 6, 7]


def test_run_goes_on_in_the_middle_of_an_epoch(tmp_path: pathlib.Path) -> None:
    parts = Parts()
    counters = Counters(PAIRS, "", update=1, examples_in_epoch=4)
    run(tmp_path, settings(max_epochs=1.0), parts, counters)
    assert len(parts.rates) == 2


def test_finished_run_does_nothing(tmp_path: pathlib.Path) -> None:
    parts = Parts()
    counters = Counters(PAIRS, "", update=3, epoch=1, last_evaluated=3)
    assert run(tmp_path, settings(max_epochs=1.0), parts, counters) is End.COMPLETE
    assert (parts.rates, parts.evaluated, parts.saved) == ([], [], [])


def test_epoch_ends_though_other_batches_leave_pairs_out(
    tmp_path: pathlib.Path,
) -> None:
    class Cut(Parts):
        def batches(self, epoch: int, done: int) -> list[Batch]:
            # As after a change of the batch size: two pairs of the epoch are missing.
            return super().batches(epoch, done)[: 1 if done else None]

    counters = Counters(PAIRS, "", update=1, examples_in_epoch=4)
    assert run(tmp_path, settings(max_epochs=2.0), Cut(), counters) is End.COMPLETE
    assert (counters.epoch, counters.examples_in_epoch) == (2, 0)


def test_patience_counts_evaluations(tmp_path: pathlib.Path) -> None:
    parts = Parts()
    config = settings(patience=2, evaluate_every=2)
    assert run(tmp_path, config, parts, Counters(PAIRS, "")) is End.PATIENCE
    assert parts.evaluated == [2, 4]


def test_each_update_has_the_rate_of_its_start(tmp_path: pathlib.Path) -> None:
    parts = Parts()
    config = settings(
        learning_rate=0.7, schedule="halving", halve_from_epoch=1.0, max_epochs=2.0
    )
    run(tmp_path, config, parts, Counters(PAIRS, ""))
    assert parts.rates == [0.7, 0.7, 0.7, 0.35, 0.35, 0.175]


def test_nonfinite_updates_are_counted_and_end_training(tmp_path: pathlib.Path) -> None:
    parts, counters = Parts(nonfinite=(2, 4, 5)), Counters(PAIRS, "")
    config = settings(max_nonfinite_updates=2)
    with pytest.raises(UserError, match="2 updates in a row had a gradient"):
        run(tmp_path, config, parts, counters)
    assert counters.nonfinite_updates == 3
    assert counters.update == 4


def test_updates_left_out_are_in_the_log(tmp_path: pathlib.Path) -> None:
    parts = Parts(nonfinite=(2, 4))
    config = settings(max_epochs=2.0, log_every=2)
    run(tmp_path, config, parts, Counters(PAIRS, ""))
    lines = (tmp_path / "m.jsonl").read_text().splitlines()
    counts = [
        record["nonfinite_updates"]
        for record in map(json.loads, lines)
        if record["kind"] == "training"
    ]
    # After updates 2, 3 (an evaluation), 4 and 6.
    assert counts == [1, 1, 2, 2]


def test_a_factor_that_is_too_large_is_no_fault(tmp_path: pathlib.Path) -> None:
    parts, counters = Parts(nonfinite=(1, 2, 3)), Counters(PAIRS, "")
    config = settings(precision="float16", max_nonfinite_updates=1, max_epochs=2.0)
    assert run(tmp_path, config, parts, counters) is End.COMPLETE
    assert parts.scales == [2.0**power for power in (15, 14, 13, 12, 12, 12)]
    assert (counters.nonfinite_updates, counters.nonfinite_in_a_row) == (3, 0)


class Told(Cluster):
    """Another process is told to stop before this one's second update ends."""

    asked = 0

    def any(self, flag: bool) -> bool:
        self.asked += 1
        return flag or self.asked == 2


def test_all_processes_stop_after_the_same_update(tmp_path: pathlib.Path) -> None:
    parts, counters = Parts(), Counters(PAIRS, "")
    end = run(tmp_path, settings(max_epochs=2.0), parts, counters, Told())
    assert (end, counters.update) == (End.INTERRUPTED, 2)
    assert parts.saved == [2]
