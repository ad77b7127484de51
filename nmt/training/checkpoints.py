"""What a training can be taken up from, update for update."""

import dataclasses
import json
import pathlib

import keras
import numpy as np
import tensorflow as tf

from nmt.errors import UserError
from nmt.models.seq2seq import Seq2Seq
from nmt.models.weights import variables_by_name
from nmt.models.whole_weights import by_whole_path
from nmt.training.schedule import Position


@dataclasses.dataclass
class Counters:
    """Where a training is, besides its weights. All of it is saved.

    Attributes:
        corpus_size: Sentence pairs an epoch.
        corpus_digest: Names the training pairs, so that a changed text is noticed.
        update: Optimizer updates made.
        epoch: Whole epochs read.
        examples_in_epoch: Sentence pairs read of the epoch at hand: with the seed, the
            whole position in the data.
        nonfinite_updates: Updates left out because of a non-finite gradient.
        nonfinite_in_a_row: Those of them since the last update that was made.
        best_perplexity: Lowest validation perplexity so far.
        best_update: The update at which it was measured.
        evaluations_without_gain: Evaluations since then.
        last_evaluated: The update of the last evaluation.
        loss_scale: Factor of the loss in float16; 0: not yet chosen.
        updates_at_scale: Updates since it changed.
    """

    corpus_size: int
    corpus_digest: str
    update: int = 0
    epoch: int = 0
    examples_in_epoch: int = 0
    nonfinite_updates: int = 0
    nonfinite_in_a_row: int = 0
    best_perplexity: float = float("inf")
    best_update: int = 0
    evaluations_without_gain: int = 0
    last_evaluated: int = 0
    loss_scale: float = 0.0
    updates_at_scale: int = 0

    @property
    def position(self) -> Position:
        """The point in training that the schedule goes by."""
        examples = self.epoch * self.corpus_size + self.examples_in_epoch
        return Position(self.update, examples, self.corpus_size)

    def advance(self, examples: int) -> None:
        """Counts one update over a batch of so many sentence pairs."""
        self.update += 1
        self.examples_in_epoch += examples
        if self.examples_in_epoch >= self.corpus_size:
            self.close_epoch()

    def close_epoch(self) -> None:
        """Goes on to the next epoch, unless this one has not begun."""
        if self.examples_in_epoch:
            self.epoch += 1
            self.examples_in_epoch = 0


class CheckpointStore:
    """Saves and restores weights, optimizer slots, seed states and `Counters`.

    Variables are stored under their paths and not by position, and slices of weights
    and slots as wholes, so that a checkpoint does not depend on the number of devices.

    Args:
        folder: Where the checkpoints lie.
        model: The model, built.
        optimizer: Its optimizer, built.
        keep: Checkpoints kept.
        writes: Whether this process is the one that writes.
    """

    def __init__(
        self,
        folder: pathlib.Path,
        model: Seq2Seq,
        optimizer: keras.optimizers.Optimizer,
        keep: int,
        writes: bool = True,
    ) -> None:
        self._model = model
        self._writes = writes
        self._counters = tf.Variable("", dtype=tf.string, trainable=False)
        slots = by_whole_path(optimizer.variables)
        checkpoint = tf.train.Checkpoint(
            model=variables_by_name(model), optimizer=slots, counters=self._counters
        )
        self._manager = tf.train.CheckpointManager(
            checkpoint, str(folder), max_to_keep=keep, checkpoint_name="training"
        )

    def save(self, counters: Counters) -> None:
        """Writes a checkpoint, whole or not at all, and drops the oldest ones."""
        if not self._writes:
            return
        self._counters.assign(json.dumps(dataclasses.asdict(counters)))
        self._manager.save(checkpoint_number=counters.update)

    def restore(self, fresh: Counters) -> Counters:
        """Restores the newest checkpoint; returns its counters, or `fresh` ones.

        Raises:
            UserError: the checkpoint does not fit the model or the training text.
        """
        prefix = self._manager.latest_checkpoint
        if prefix is None:
            return fresh
        try:
            self._manager.checkpoint.restore(prefix).assert_consumed()
        except (AssertionError, ValueError) as error:
            raise UserError(
                f"{prefix}: this checkpoint is of another model; choose another "
                "--run_dir"
            ) from error
        except (tf.errors.OpError, IndexError) as error:
            raise UserError(
                f"{prefix}: damaged checkpoint; remove its files and its name in "
                "the file `checkpoint` to go on from an earlier one"
            ) from error
        counters = Counters(**json.loads(self._counters.numpy()))
        if counters.corpus_digest != fresh.corpus_digest:
            raise UserError(
                f"{prefix}: the training pairs are not those of this run (now "
                f"{fresh.corpus_size:,} pairs, then {counters.corpus_size:,}); restore "
                "text and settings of the section data, or choose another --run_dir"
            )
        return counters

    def average(self, count: int) -> None:
        """Sets the weights to their mean over the last checkpoints.

        Slots, counters and seed states become those of the newest one.

        Args:
            count: Checkpoints to average; fewer are used where there are fewer.
        """
        prefixes = self._manager.checkpoints[-count:]
        totals = [np.zeros(weight.shape, np.float64) for weight in self._model.weights]
        for prefix in prefixes:
            self._manager.checkpoint.restore(prefix).assert_consumed()
            for total, weight in zip(totals, self._model.weights, strict=True):
                total += weight.numpy()
        for total, weight in zip(totals, self._model.weights, strict=True):
            weight.assign(total / len(prefixes))
