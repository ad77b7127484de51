"""From text files to everything that training and validation read."""

import dataclasses
import functools
import os
from collections.abc import Iterator

import numpy as np
import tensorflow as tf
from absl import logging

from nmt.config import BatchingConfig, Config, DataConfig
from nmt.data import (
    Batch,
    Corpus,
    LengthLimits,
    ParallelText,
    TextCodec,
    build_codec,
    build_corpus,
    count_pairs,
    evaluation_batches,
    read_lines,
    training_batches,
)
from nmt.errors import UserError
from nmt.models.run_folder import RunFolder
from nmt.progress import Progress

# Padded tokens a validation batch may have for each sentence of a decoding batch.
_TOKENS = 100


@dataclasses.dataclass(frozen=True)
class ValidationSet:
    """Pairs that the model is measured on and not trained with.

    Attributes:
        corpus: The corpus that holds them.
        rows: int64, `[pairs]`, their rows in it.
        source_path: Their source text.
        target_path: Their target text, the references of BLEU.
    """

    corpus: Corpus
    rows: np.ndarray
    source_path: str
    target_path: str

    @functools.cached_property
    def source(self) -> list[str]:
        """The source lines."""
        return list(read_lines(self.source_path))

    @functools.cached_property
    def target(self) -> list[str]:
        """The target lines."""
        return list(read_lines(self.target_path))


@dataclasses.dataclass(frozen=True)
class PreparedData:
    """Codecs, training pairs and validation pairs of a run.

    Attributes:
        config: How batches are made.
        source_codec: Source text to ids.
        target_codec: Target text to ids, and back.
        corpus: The training text as ids.
        rows: int64, `[pairs]`, the rows of `corpus` to train on.
        validation: Pairs that are not trained on.
    """

    config: Config
    source_codec: TextCodec
    target_codec: TextCodec
    corpus: Corpus
    rows: np.ndarray
    validation: ValidationSet

    @property
    def vocabulary_sizes(self) -> tuple[int, int]:
        """Rows of the source and of the target vocabulary."""
        return self.source_codec.vocabulary_size, self.target_codec.vocabulary_size

    def batches(self, epoch: int, examples_done: int) -> Iterator[Batch]:
        """Yields the batches of an epoch that follow after so many sentence pairs."""
        dataset: tf.data.Dataset = training_batches(
            self.corpus,
            self.rows,
            self.config.batching,
            self.config.data.reverse_source,
            self.config.training.seed,
            epoch,
            examples_done,
        )
        return iter(dataset)

    def validation_batches(self) -> Iterator[Batch]:
        """Yields every validation pair once."""
        # By tokens, so that one very long pair does not fill the memory.
        batching = BatchingConfig(
            batch_by="tokens", batch_size=_TOKENS * self.config.decoding.batch_size
        )
        dataset: tf.data.Dataset = evaluation_batches(
            self.validation.corpus,
            self.validation.rows,
            batching,
            self.config.data.reverse_source,
        )
        return iter(dataset)


def prepare(config: Config, folder: RunFolder, built: bool = False) -> PreparedData:
    """Builds or loads the codecs and the corpora of a run.

    Args:
        config: The section `data` names the text.
        folder: Where codecs and corpora lie; made if it does not exist.
        built: Whether another process has just built them with the same settings.

    Raises:
        UserError: the text or a vocabulary cannot be used, or no pair is left.
    """
    data = config.data
    if not (data.train_source and data.train_target):
        raise UserError(
            "no training text: give --source and --target, two files of one sentence a "
            "line (or data.train_source and data.train_target in --config)"
        )
    if bool(data.validation_source) != bool(data.validation_target):
        raise UserError("give both validation files, or neither to hold out pairs")
    for path in (data.train_source, data.train_target):
        if os.path.isdir(path):
            raise UserError(f"{path}: is a folder; give a file")
        if path == "-" or (os.path.exists(path) and not os.path.isfile(path)):
            raise UserError(f"{path}: the text is read more than once; give a file")
    lines = count_pairs(data.train_source, data.train_target)
    try:
        folder.path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(
            f"{folder.path}: the run folder cannot be made: {error.strerror}"
        ) from error
    # Without settings the folder is of a run that never began, perhaps with others.
    built = built or folder.exists()
    source_codec, target_codec = (
        _saved_codec(side, data, folder)
        if built
        else _new_codec(side, data, folder, lines)
        for side in ("source", "target")
    )
    own = not data.validation_source
    with Progress("encoding the training text", lines, "lines") as progress:
        corpus = build_corpus(
            folder.corpus,
            ParallelText(
                data.train_source, data.train_target, source_codec, target_codec
            ),
            LengthLimits(data.max_source_length, data.max_target_length),
            data.held_out if own else 0,
            progress.show,
        )
    validation = (
        _held_out(corpus) if own else _given(data, folder, source_codec, target_codec)
    )
    return PreparedData(
        config, source_codec, target_codec, corpus, corpus.rows, validation
    )


def _saved_codec(side: str, data: DataConfig, folder: RunFolder) -> TextCodec:
    return TextCodec.load(folder.path, side, getattr(data, f"{side}_tokenizer"))


def _new_codec(side: str, data: DataConfig, folder: RunFolder, lines: int) -> TextCodec:
    tokenizer: str = getattr(data, f"{side}_tokenizer")
    logging.info("building the %s vocabulary (%s)", side, tokenizer)
    with Progress(f"reading the {side}", lines, "lines") as progress:
        return build_codec(
            side,
            [getattr(data, f"train_{side}")],
            tokenizer,
            getattr(data, f"{side}_vocabulary_size"),
            data.minimum_count,
            getattr(data, f"{side}_vocabulary"),
            folder.path,
            lambda done, total: progress.show(done),
        )


def _held_out(corpus: Corpus) -> ValidationSet:
    if not len(corpus.held_out_rows):
        raise UserError(
            f"{len(corpus)} training pairs are too few to hold some out for "
            "validation; give --validation_source and --validation_target"
        )
    return ValidationSet(
        corpus, corpus.held_out_rows, corpus.held_out_source, corpus.held_out_target
    )


def _given(
    data: DataConfig,
    folder: RunFolder,
    source_codec: TextCodec,
    target_codec: TextCodec,
) -> ValidationSet:
    text = ParallelText(
        data.validation_source, data.validation_target, source_codec, target_codec
    )
    with Progress("encoding the validation text", unit="lines") as progress:
        corpus = build_corpus(folder.validation_corpus, text, None, 0, progress.show)
    if not len(corpus):
        raise UserError(f"{data.validation_source}: the validation text is empty")
    return ValidationSet(
        corpus, np.arange(len(corpus)), data.validation_source, data.validation_target
    )
