"""A model that copies and tells where it looked: what it must have done is plain."""

import dataclasses
from typing import NamedTuple

import tensorflow as tf

from nmt.config import Config
from nmt.data.vocabulary import EOS_ID, PAD_ID
from nmt.layers.sentence_rows import repeat_for_rows
from nmt.models.encoder import DecoderStart
from nmt.models.run_folder import LoadedModel
from tests import tiny_models


class Looked(NamedTuple):
    alignments: tf.Tensor


class State(NamedTuple):
    position: tf.Tensor
    attention: Looked


class LookingCopier:
    """Writes the words of the source, looking at each word that it writes.

    Args:
        vocabulary_size: Of both sides.
        backwards: Whether it reads the source last word to first.
    """

    attends = True

    def __init__(self, vocabulary_size: int, backwards: bool) -> None:
        self.vocabulary_size = vocabulary_size
        self.backwards = backwards

    def encode(self, source: tf.Tensor, training: bool = False) -> DecoderStart:
        nowhere = Looked(tf.zeros_like(source, tf.float32))
        return DecoderStart(State(tf.zeros_like(source[:, 0]), nowhere), source)

    def step(
        self, ids: tf.Tensor, state: State, memory: tf.Tensor
    ) -> tuple[tf.Tensor, State]:
        source = repeat_for_rows(memory, ids)
        position = state.position
        logits, alignments = self._look(source, position[:, tf.newaxis])
        return logits[:, 0], State(position + 1, Looked(alignments[:, 0]))

    def logits_and_alignments(
        self, source: tf.Tensor, target: tf.Tensor
    ) -> tuple[tf.Tensor, tf.Tensor]:
        position = tf.range(tf.shape(target)[1])[tf.newaxis] + tf.zeros_like(target)
        return self._look(source, position)

    def _look(
        self, source: tf.Tensor, position: tf.Tensor
    ) -> tuple[tf.Tensor, tf.Tensor]:
        is_word = (source != PAD_ID) & (source != EOS_ID)
        words = tf.reduce_sum(tf.cast(is_word, tf.int32), axis=1, keepdims=True)
        place = tf.minimum(position, words)
        if self.backwards:
            place = tf.where(place < words, words - 1 - place, words)
        ids = tf.gather(source, place, batch_dims=1)
        logits = 30.0 * tf.one_hot(ids, self.vocabulary_size)
        return logits, tf.one_hot(place, tf.shape(source)[1])


def looking_copier(reverse_source: bool = False) -> LoadedModel:
    """A copier that is told the source in either order, and writes it in its own."""
    loaded = tiny_models.copy_model()
    data = dataclasses.replace(Config().data, reverse_source=reverse_source)
    return dataclasses.replace(
        loaded,
        model=LookingCopier(loaded.target_codec.vocabulary_size, reverse_source),
        config=dataclasses.replace(loaded.config, data=data),
    )
