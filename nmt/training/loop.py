"""The training loop: updates, figures, evaluations, checkpoints, and when to stop."""

import enum
import signal
import time

import numpy as np
from absl import logging

from nmt.config import TrainingConfig
from nmt.data.pipeline import Batch
from nmt.distribution import Cluster
from nmt.errors import UserError
from nmt.progress import Progress
from nmt.training.checkpoints import CheckpointStore, Counters
from nmt.training.interruption import Interruption
from nmt.training.loss_scale import adjust, loss_scale
from nmt.training.metrics import MetricsLog
from nmt.training.prepare import PreparedData
from nmt.training.schedule import learning_rate, progress
from nmt.training.step import StepResult, TrainStep
from nmt.training.validation import Validator


class End(enum.Enum):
    """Why a loop ended; the value is what the log says."""

    COMPLETE = "all epochs or updates are done"
    PATIENCE = "validation perplexity no longer falls"
    INTERRUPTED = "interrupted (SIGINT); the same command goes on from here"
    TERMINATED = "interrupted (SIGTERM); the same command goes on from here"


class TrainingLoop:
    """Runs updates until the end that the settings name.

    Args:
        config: Limits and intervals.
        expected_updates: Updates of the whole training, for the progress bar.
        data: Batches of any epoch.
        step: One update.
        validator: Measures the model, and keeps the best weights.
        checkpoints: What a later run goes on from.
        metrics: Where figures go.
        counters: Where training is; changed in place.
        cluster: Other processes that make the same updates now.
    """

    def __init__(
        self,
        config: TrainingConfig,
        expected_updates: int,
        data: PreparedData,
        step: TrainStep,
        validator: Validator,
        checkpoints: CheckpointStore,
        metrics: MetricsLog,
        counters: Counters,
        cluster: Cluster | None = None,
    ) -> None:
        self._cluster = cluster or Cluster()
        self._config = config
        self._expected_updates = expected_updates
        self._data = data
        self._step = step
        self._validator = validator
        self._checkpoints = checkpoints
        self._metrics = metrics
        self._counters = counters
        self._window = _Window()
        self._saved = counters.update

    def run(self) -> End:
        """Trains, and saves the state at the end; a complete run is evaluated there.

        Raises:
            UserError: too many updates in a row had a non-finite gradient; nothing is
                saved then.
        """
        with (
            Interruption() as interruption,
            Progress("training", self._expected_updates, "updates", lines=False) as bar,
        ):
            end = self._end()
            while end is None:
                end = self._epoch(interruption, bar)
            complete = end in (End.COMPLETE, End.PATIENCE)
            if complete and self._counters.last_evaluated != self._counters.update:
                self._evaluate()
        self._log()
        self._save()
        return end

    def _epoch(self, interruption: Interruption, bar: Progress) -> End | None:
        """Reads the rest of an epoch; returns why training ends in it, or None."""
        counters = self._counters
        for batch in self._data.batches(counters.epoch, counters.examples_in_epoch):
            self._update(batch)
            bar.show(counters.update, note=self._window.note(counters))
            if self._due(self._config.log_every):
                self._log()
            if self._evaluation_due():
                self._evaluate()
            if self._due(self._config.checkpoint_every):
                self._save()
            # All processes stop after the same update, whichever was told to.
            if self._cluster.any(interruption.signal is not None):
                terminated = interruption.signal == signal.SIGTERM
                return End.TERMINATED if terminated else End.INTERRUPTED
            end = self._end()
            if end is not None:
                return end
        # Only after a change of the batch size within an epoch: its pairs are cut
        # otherwise, and the last ones may be missing.
        counters.close_epoch()
        return None

    def _update(self, batch: Batch) -> None:
        rate = learning_rate(self._config, self._counters.position)
        scale = loss_scale(self._config, self._counters)
        result, finite = self._step(batch.source, batch.target, rate, scale)
        too_large = adjust(self._config, self._counters, finite)
        if finite:
            self._counters.nonfinite_in_a_row = 0
        elif too_large:
            self._counters.nonfinite_updates += 1
            logging.info("loss scale: now %g", self._counters.loss_scale)
        else:
            self._skip(result)
        self._counters.advance(int(result.sums.sentences))
        self._window.add(batch, result, rate, finite)

    def _skip(self, result: StepResult) -> None:
        counters = self._counters
        counters.nonfinite_updates += 1
        counters.nonfinite_in_a_row += 1
        logging.warning(
            "update %d left out: gradient norm %s",
            counters.update + 1,
            float(result.gradient_norm),
        )
        if counters.nonfinite_in_a_row >= self._config.max_nonfinite_updates:
            raise UserError(
                f"{counters.nonfinite_in_a_row} updates in a row had a gradient that "
                "is not finite (training.max_nonfinite_updates); the last checkpoint "
                "is kept: resume with a smaller training.learning_rate"
            )

    def _due(self, every: int) -> bool:
        return every > 0 and self._counters.update % every == 0

    def _evaluation_due(self) -> bool:
        every = self._config.evaluate_every
        if every:
            return self._due(every)
        return self._counters.examples_in_epoch == 0

    def _end(self) -> End | None:
        counters, config = self._counters, self._config
        if config.patience and counters.evaluations_without_gain >= config.patience:
            return End.PATIENCE
        if progress(config, counters.position) >= 1.0:
            return End.COMPLETE
        return None

    def _log(self) -> None:
        if self._window.is_empty:
            return
        figures = self._window.figures(self._counters)
        self._window = _Window()
        logging.info(
            "update %d, epoch %.2f: perplexity %.2f, gradient norm %.2f, learning rate "
            "%.3g, %d words/s",
            self._counters.update,
            figures["epoch"],
            figures["perplexity"],
            figures["gradient_norm"],
            figures["learning_rate"],
            figures["words_per_second"],
        )
        self._metrics.write("training", self._counters.update, **figures)

    def _evaluate(self) -> None:
        self._log()
        evaluation = self._validator.measure(self._counters)
        self._metrics.write(
            "validation",
            self._counters.update,
            epoch=self._counters.position.epoch,
            **evaluation.figures(),
        )
        self._save()
        # The time of an evaluation is not that of updates.
        self._window = _Window()

    def _save(self) -> None:
        if self._saved != self._counters.update:
            self._checkpoints.save(self._counters)
            self._saved = self._counters.update


class _Window:
    """Sums over the updates since the last line of the log."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._words = 0
        self._nats = 0.0
        self._tokens = 0.0
        self._norms: list[float] = []
        self._rate = 0.0

    @property
    def is_empty(self) -> bool:
        """Whether there was no update."""
        return self._words == 0

    def add(self, batch: Batch, result: StepResult, rate: float, finite: bool) -> None:
        """Adds a batch; ends of sentence count as tokens, not as words."""
        pairs = int(result.sums.sentences)
        ids = np.count_nonzero(batch.source) + np.count_nonzero(batch.target)
        self._words += int(ids) - 2 * pairs
        self._rate = rate
        if finite:
            self._nats += float(result.sums.nats)
            self._tokens += float(result.sums.tokens)
            self._norms.append(float(result.gradient_norm))

    def figures(self, counters: Counters) -> dict[str, float]:
        """Returns means over the window: nats a token, norms, words a second."""
        nats = self._nats / max(self._tokens, 1.0)
        return {
            "epoch": counters.position.epoch,
            "nats_per_token": nats,
            "perplexity": float(np.exp(nats)),
            "gradient_norm": float(np.mean(self._norms)) if self._norms else 0.0,
            "largest_gradient_norm": max(self._norms, default=0.0),
            "learning_rate": self._rate,
            "nonfinite_updates": counters.nonfinite_updates,
            "words_per_second": self._words / (time.monotonic() - self._began),
        }

    def note(self, counters: Counters) -> str:
        """Returns the figures that the progress bar shows."""
        figures = self.figures(counters)
        return (
            f"epoch {figures['epoch']:.2f}, perplexity {figures['perplexity']:.1f}, "
            f"{figures['words_per_second']:,.0f} words/s"
        )
