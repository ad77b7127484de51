"""Settings that cannot be trained with, refused before any work is done."""

from typing import Any, NamedTuple

from nmt.config import Config, PlacementConfig
from nmt.data import check_batching
from nmt.distribution import check_placement
from nmt.errors import UserError
from nmt.evaluation import score_lines
from nmt.models.combinations import ATTENTIONS, check_model
from nmt.training.precision import PRECISIONS
from nmt.training.schedule import Position, learning_rate


class Range(NamedTuple):
    """Allowed values of a setting.

    Attributes:
        lowest: The smallest one.
        below: What all are smaller than; None: no limit.
    """

    lowest: float
    below: float | None = None


_POSITIVE = Range(1)
_NOT_NEGATIVE = Range(0)
_SHARE = Range(0, 1)

_RANGES = {
    "data.held_out": _NOT_NEGATIVE,
    "data.source_vocabulary_size": Range(5),
    "data.target_vocabulary_size": Range(5),
    "data.minimum_count": _POSITIVE,
    "data.max_source_length": _POSITIVE,
    "data.max_target_length": _POSITIVE,
    "batching.batch_size": _POSITIVE,
    "batching.pool_batches": _POSITIVE,
    "model.embedding_size": _POSITIVE,
    "model.hidden_size": _POSITIVE,
    "model.num_layers": _POSITIVE,
    "model.attention_size": _POSITIVE,
    "model.output_size": _POSITIVE,
    "model.dropout": _SHARE,
    "model.initializer_scale": _NOT_NEGATIVE,
    "training.learning_rate": _NOT_NEGATIVE,
    "training.warmup_updates": _NOT_NEGATIVE,
    "training.max_gradient_norm": _NOT_NEGATIVE,
    "training.label_smoothing": _SHARE,
    "training.max_epochs": Range(1e-6),
    "training.max_updates": _NOT_NEGATIVE,
    "training.patience": _NOT_NEGATIVE,
    "training.evaluate_every": _NOT_NEGATIVE,
    "training.checkpoint_every": _NOT_NEGATIVE,
    "training.log_every": _NOT_NEGATIVE,
    "training.keep_checkpoints": _POSITIVE,
    "training.average_checkpoints": _POSITIVE,
    "training.max_nonfinite_updates": _POSITIVE,
    "training.seed": _NOT_NEGATIVE,
    "decoding.beam_size": _POSITIVE,
    "decoding.training_beam_size": _POSITIVE,
    "decoding.length_penalty": _NOT_NEGATIVE,
    "decoding.max_length_factor": _NOT_NEGATIVE,
    "decoding.max_length_offset": _NOT_NEGATIVE,
    "decoding.batch_size": _POSITIVE,
    "placement.softmax_shards": _POSITIVE,
    "placement.chunk_length": _NOT_NEGATIVE,
    "distribution.logical_devices": _NOT_NEGATIVE,
    "distribution.replicas": _NOT_NEGATIVE,
}


_TOKENIZERS = ("words", "characters", "sentencepiece")

# Checked again where they are used; here nothing has been read or built yet.
_CHOICES = {
    "data.source_tokenizer": _TOKENIZERS,
    "data.target_tokenizer": _TOKENIZERS,
    "model.cell": ("lstm", "gru"),
    "model.attention": ATTENTIONS,
    "model.attention_layer": ("bottom", "top"),
    "model.attention_query": ("previous", "new"),
    "model.deep_output": ("none", "maxout", "tanh"),
    "model.output_state": ("previous", "new"),
    "model.initializer": ("uniform", "bahdanau", "keras"),
    "training.optimizer": ("sgd", "adam", "adadelta"),
    "training.divide_by": ("sentences", "tokens"),
    "training.precision": tuple(PRECISIONS),
    "distribution.strategy": ("default", "mirrored", "multi_worker", "tpu"),
}


def check_config(config: Config) -> None:
    """Refuses settings that would fail after hours, or never end.

    Raises:
        UserError: a number is out of its range, a name is none of those there are, or
            a metric's tokenizer cannot be loaded.

    Example:
        >>> config = Config()
        >>> config.model.num_layers = 0
        >>> check_config(config)
        Traceback (most recent call last):
        ...
        nmt.errors.UserError: model.num_layers=0: must be at least 1
    """
    for name, allowed in _RANGES.items():
        section, field = name.split(".")
        _check_range(name, getattr(getattr(config, section), field), allowed)
    for name, choices in _CHOICES.items():
        section, field = name.split(".")
        value = getattr(getattr(config, section), field)
        if value not in choices:
            raise UserError(f"{name}={value!r}: choose {', '.join(choices)}")
    if not (config.data.held_out or config.data.validation_source):
        raise UserError(
            "data.held_out=0: without --validation_source and --validation_target some "
            "pairs must be held out to measure the model on"
        )
    check_model(config.model)
    check_batching(config.batching)
    check_placement(config.placement)
    _check_compilation(config)
    learning_rate(config.training, Position(update=0, examples=0, corpus_size=1000))
    score_lines(["a"], ["a"], config.evaluation)


def _check_compilation(config: Config) -> None:
    compiled = config.training.jit_compile or config.distribution.strategy == "tpu"
    if compiled and not config.batching.bucket_boundaries:
        raise UserError(
            "training.jit_compile and distribution.strategy=tpu compile an update for "
            "every shape of a batch: give a few in batching.bucket_boundaries"
        )
    if config.training.jit_compile and config.placement != PlacementConfig():
        raise UserError(
            "training.jit_compile: XLA compiles for one device; leave out placement"
        )


def _check_range(name: str, value: Any, allowed: Range) -> None:
    if not value >= allowed.lowest:
        raise UserError(f"{name}={value}: must be at least {allowed.lowest:g}")
    if allowed.below is not None and value >= allowed.below:
        raise UserError(f"{name}={value}: must be less than {allowed.below:g}")
