"""Checkpoints: all state, and nothing that belongs to another run."""

import pathlib

import numpy as np
import pytest

from nmt.config import ModelConfig, TrainingConfig
from nmt.errors import UserError
from nmt.models import build_model
from nmt.training.checkpoints import CheckpointStore, Counters
from nmt.training.optimizers import make_optimizer


def store(folder: pathlib.Path, hidden_size: int = 4) -> tuple[CheckpointStore, list]:
    model = build_model(
        ModelConfig(embedding_size=3, hidden_size=hidden_size, num_layers=1), 6, 5
    )
    optimizer = make_optimizer(TrainingConfig())
    optimizer.build(model.trainable_variables)
    return CheckpointStore(folder, model, optimizer, keep=2), [
        *model.variables,
        *optimizer.variables,
    ]


def test_weights_slots_seeds_and_counters_come_back(tmp_path: pathlib.Path) -> None:
    saver, saved = store(tmp_path)
    for number, variable in enumerate(saved):
        variable.assign(np.full(variable.shape, number + 1))
    counters = Counters(100, "text", update=7, epoch=1, examples_in_epoch=30)
    saver.save(counters)
    reader, restored = store(tmp_path)
    assert reader.restore(Counters(100, "text")) == counters
    for one, other in zip(saved, restored, strict=True):
        np.testing.assert_array_equal(one.numpy(), other.numpy())


def test_without_a_checkpoint_training_is_fresh(tmp_path: pathlib.Path) -> None:
    reader, _ = store(tmp_path)
    assert reader.restore(Counters(9, "text")).update == 0


def test_a_changed_text_is_refused(tmp_path: pathlib.Path) -> None:
    saver, _ = store(tmp_path)
    saver.save(Counters(100, "text", update=1))
    with pytest.raises(UserError, match="now 99 pairs, then 100"):
        saver.restore(Counters(99, "other"))


def test_another_model_is_refused(tmp_path: pathlib.Path) -> None:
    saver, _ = store(tmp_path)
    saver.save(Counters(100, "text", update=1))
    reader, _ = store(tmp_path, hidden_size=5)
    with pytest.raises(UserError, match="of another model"):
        reader.restore(Counters(100, "text"))


def test_only_the_newest_are_kept(tmp_path: pathlib.Path) -> None:
    saver, _ = store(tmp_path)
    for update in (1, 2, 3):
        saver.save(Counters(100, "text", update=update))
    kept = sorted(path.name for path in tmp_path.glob("*.index"))
    assert kept == ["training-2.index", "training-3.index"]


def test_an_epoch_ends_at_its_last_pair() -> None:
    counters = Counters(corpus_size=10, corpus_digest="")
    counters.advance(6)
    assert (counters.epoch, counters.examples_in_epoch) == (0, 6)
    counters.advance(4)
    assert (counters.epoch, counters.examples_in_epoch) == (1, 0)
    assert counters.position.examples == 10
