"""One training from settings to a run folder."""

import contextlib
import pathlib
import tempfile
from collections.abc import Iterator

import keras
import tensorflow as tf
from absl import logging

from nmt.config import Config
from nmt.data import replace_file
from nmt.distribution import Cluster, Layout, configure_devices, make_layout
from nmt.errors import UserError
from nmt.models import build_model
from nmt.models.run_folder import LoadedModel, RunFolder
from nmt.models.seq2seq import Seq2Seq
from nmt.models.weights import save_weights
from nmt.training.checkpoints import CheckpointStore, Counters
from nmt.training.checks import check_config
from nmt.training.loop import End, TrainingLoop
from nmt.training.metrics import MetricsLog
from nmt.training.optimizers import make_optimizer
from nmt.training.precision import precision_scope
from nmt.training.prepare import PreparedData, prepare
from nmt.training.report import data_report, log_recipe
from nmt.training.step import TrainStep
from nmt.training.validation import Validator


def train(config: Config, run_dir: pathlib.Path) -> End:
    """Trains a model, or goes on with what the run folder holds.

    Args:
        config: All settings.
        run_dir: Where everything is written.

    Returns:
        Why training ended.

    Raises:
        UserError: settings or data that cannot be used.
    """
    check_config(config)
    strategy = configure_devices(config.distribution, config.placement)
    if config.training.deterministic:
        tf.config.experimental.enable_op_determinism()
    keras.utils.set_random_seed(config.training.seed)
    folder = RunFolder(run_dir)
    layout = make_layout(
        config.distribution, config.placement, config.model.num_layers, strategy
    )
    with layout.cluster.watch():
        data = _prepare(config, folder, layout.cluster)
        report = data_report(data)
        logging.info("data report\n%s", report.text())
        report.check(config.data.max_unknown_percent)
        with layout.scope():
            end = _train(config, folder, data, layout, report.plan.batches)
    logging.info("training ended: %s; everything is in %s", end.value, folder.path)
    return end


def _prepare(config: Config, folder: RunFolder, cluster: Cluster) -> PreparedData:
    """Prepares the data once; the other processes then find it in the folder."""
    if cluster.is_chief:
        data = prepare(config, folder)
        cluster.wait()
        return data
    cluster.wait()
    return prepare(config, folder, built=True)


def _train(
    config: Config,
    folder: RunFolder,
    data: PreparedData,
    layout: Layout,
    updates_per_epoch: int,
) -> End:
    with layout.strategy.scope(), precision_scope(config.training.precision):
        model = build_model(config.model, *data.vocabulary_sizes, layout.placement)
        optimizer = make_optimizer(config.training)
    step = TrainStep(
        model,
        optimizer,
        layout.strategy,
        config.training,
        static_shapes=bool(config.batching.bucket_boundaries),
    )
    log_recipe(config, model, layout)
    run = _Run(config, folder, data, model, optimizer, layout.cluster)
    # Once the checkpoint too has shown that the run can go on with them.
    if layout.cluster.is_chief:
        replace_file(folder.config_file, config.to_json())
    return run.run(step, updates_per_epoch)


class _Run:
    """The parts of a training that outlive its loop."""

    def __init__(
        self,
        config: Config,
        folder: RunFolder,
        data: PreparedData,
        model: Seq2Seq,
        optimizer: keras.optimizers.Optimizer,
        cluster: Cluster,
    ) -> None:
        training = config.training
        self._cluster = cluster
        self._config = config
        self._folder = folder
        self._data = data
        self._model = model
        self._checkpoints = CheckpointStore(
            folder.checkpoints,
            model,
            optimizer,
            max(training.keep_checkpoints, training.average_checkpoints),
            writes=cluster.is_chief,
        )
        self._counters = self._checkpoints.restore(
            Counters(len(data.rows), data.corpus.fingerprint)
        )
        if cluster.of_chief(self._counters.update) != self._counters.update:
            raise UserError(
                f"{folder.path}: another host has another checkpoint; the run folder "
                "must be on a file system that all hosts share"
            )
        loaded = LoadedModel(model, data.source_codec, data.target_codec, config)
        self._validator = Validator(loaded, data, folder, cluster)

    def run(self, step: TrainStep, updates_per_epoch: int) -> End:
        """Trains to the end, then averages; `last` and `average` are saved."""
        config, counters = self._config.training, self._counters
        if counters.update:
            logging.info(
                "going on after update %d, epoch %.2f",
                counters.update,
                counters.position.epoch,
            )
        expected = round(updates_per_epoch * config.max_epochs)
        expected = min(expected, config.max_updates or expected)
        began_at = counters.update
        with self._metrics(began_at) as metrics:
            end = TrainingLoop(
                config,
                expected,
                self._data,
                step,
                self._validator,
                self._checkpoints,
                metrics,
                counters,
                self._cluster,
            ).run()
            if not self._cluster.is_chief:
                return end
            save_weights(self._model, self._folder.weights("last"))
            complete = end in (End.COMPLETE, End.PATIENCE)
            if config.average_checkpoints > 1 and complete:
                averaged = self._folder.weights("average").is_dir()
                if counters.update > began_at or not averaged:
                    self._average(metrics)
        return end

    @contextlib.contextmanager
    def _metrics(self, update: int) -> Iterator[MetricsLog]:
        """Opens the log of figures; that of a process that writes none is lost."""
        with contextlib.ExitStack() as stack:
            folder = self._folder
            if not self._cluster.is_chief:
                scratch = stack.enter_context(tempfile.TemporaryDirectory())
                folder = RunFolder(scratch)
            log = MetricsLog(folder.metrics_file, folder.events, update)
            yield stack.enter_context(log)

    def _average(self, metrics: MetricsLog) -> None:
        self._checkpoints.average(self._config.training.average_checkpoints)
        logging.info(
            "mean of the last %d checkpoints", self._config.training.average_checkpoints
        )
        save_weights(self._model, self._folder.weights("average"))
        evaluation = self._validator.evaluate()
        logging.info(
            "average weights: perplexity %.3f, %s %.2f",
            evaluation.perplexity,
            evaluation.score.name,
            evaluation.score.value,
        )
        metrics.write("average", self._counters.update, **evaluation.figures())
