"""One training from settings to a run folder."""

import pathlib

import keras
import tensorflow as tf
from absl import logging

from nmt.config import Config
from nmt.data import replace_file
from nmt.distribution import Layout, configure_devices, make_layout
from nmt.models import build_model
from nmt.models.run_folder import LoadedModel, RunFolder
from nmt.models.seq2seq import Seq2Seq
from nmt.models.weights import save_weights
from nmt.training.checkpoints import CheckpointStore, Counters
from nmt.training.checks import check_config
from nmt.training.loop import End, TrainingLoop
from nmt.training.metrics import MetricsLog
from nmt.training.optimizers import make_optimizer
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
    configure_devices(config.distribution)
    if config.training.deterministic:
        tf.config.experimental.enable_op_determinism()
    keras.utils.set_random_seed(config.training.seed)
    folder = RunFolder(run_dir)
    layout = make_layout(config.distribution, config.placement, config.model.num_layers)
    data = prepare(config, folder)
    report = data_report(data)
    logging.info("data report\n%s", report.text())
    report.check(config.data.max_unknown_percent)
    with layout.scope():
        end = _train(config, folder, data, layout, report.plan.batches)
    logging.info("training ended: %s; everything is in %s", end.value, folder.path)
    return end


def _train(
    config: Config,
    folder: RunFolder,
    data: PreparedData,
    layout: Layout,
    updates_per_epoch: int,
) -> End:
    with layout.strategy.scope():
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
    run = _Run(config, folder, data, model, optimizer)
    # Once the checkpoint too has shown that the run can go on with them.
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
    ) -> None:
        training = config.training
        self._config = config
        self._folder = folder
        self._data = data
        self._model = model
        self._checkpoints = CheckpointStore(
            folder.checkpoints,
            model,
            optimizer,
            max(training.keep_checkpoints, training.average_checkpoints),
        )
        self._counters = self._checkpoints.restore(
            Counters(len(data.rows), data.corpus.fingerprint)
        )
        loaded = LoadedModel(model, data.source_codec, data.target_codec, config)
        self._validator = Validator(loaded, data, folder)

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
        files = self._folder.metrics_file, self._folder.events
        began_at = counters.update
        with MetricsLog(*files, began_at) as metrics:
            end = TrainingLoop(
                config,
                expected,
                self._data,
                step,
                self._validator,
                self._checkpoints,
                metrics,
                counters,
            ).run()
            save_weights(self._model, self._folder.weights("last"))
            complete = end in (End.COMPLETE, End.PATIENCE)
            if config.average_checkpoints > 1 and complete:
                averaged = self._folder.weights("average").is_dir()
                if counters.update > began_at or not averaged:
                    self._average(metrics)
        return end

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
