"""One training from settings to a run folder."""

import pathlib

import keras
import tensorflow as tf
from absl import logging

from nmt.config import Config
from nmt.data import replace_file
from nmt.distribution import configure_devices, make_strategy
from nmt.models import build_model
from nmt.models.run_folder import LoadedModel, RunFolder
from nmt.models.seq2seq import Seq2Seq
from nmt.models.weights import save_weights
from nmt.training.checkpoints import CheckpointStore, Counters
from nmt.training.loop import End, TrainingLoop
from nmt.training.metrics import MetricsLog
from nmt.training.optimizers import make_optimizer
from nmt.training.prepare import PreparedData, prepare
from nmt.training.report import log_recipe
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
    configure_devices(config.distribution)
    if config.training.deterministic:
        tf.config.experimental.enable_op_determinism()
    keras.utils.set_random_seed(config.training.seed)
    folder = RunFolder(run_dir)
    folder.path.mkdir(parents=True, exist_ok=True)
    strategy = make_strategy(config.distribution)
    data = prepare(config, folder)
    replace_file(folder.config_file, config.to_json())
    with strategy.scope():
        model = build_model(
            config.model,
            data.source_codec.vocabulary_size,
            data.target_codec.vocabulary_size,
        )
        optimizer = make_optimizer(config.training)
    log_recipe(config, model, strategy)
    step = TrainStep(
        model,
        optimizer,
        strategy,
        config.training,
        static_shapes=bool(config.batching.bucket_boundaries),
    )
    end = _run(config, folder, data, model, optimizer, step)
    save_weights(model, folder.weights("last"))
    logging.info("training ended: %s; everything is in %s", end.value, folder.path)
    return end


def _run(
    config: Config,
    folder: RunFolder,
    data: PreparedData,
    model: Seq2Seq,
    optimizer: keras.optimizers.Optimizer,
    step: TrainStep,
) -> End:
    checkpoints = CheckpointStore(
        folder.checkpoints, model, optimizer, config.training.keep_checkpoints
    )
    counters = checkpoints.restore(Counters(len(data.rows), data.corpus.fingerprint))
    if counters.update:
        logging.info(
            "going on after update %d, epoch %.2f",
            counters.update,
            counters.position.epoch,
        )
    loaded = LoadedModel(model, data.source_codec, data.target_codec, config)
    with MetricsLog(folder.metrics_file, folder.events, counters.update) as metrics:
        loop = TrainingLoop(
            config.training,
            data,
            step,
            Validator(loaded, data, folder),
            checkpoints,
            metrics,
            counters,
        )
        return loop.run()
