"""A table of word vectors in slices by vocabulary."""

from collections.abc import Sequence
from typing import Any

import keras
import tensorflow as tf

from nmt.distribution import placed, variables_on
from nmt.layers.vocabulary_shards import (
    VocabularyShard,
    shard_initializer,
    shard_name,
    stage_of,
    vocabulary_shards,
)


@keras.saving.register_keras_serializable(package="nmt")
class ShardedEmbedding(keras.layers.Layer):
    """`keras.layers.Embedding` whose rows are on several devices.

    With E_1 ... E_K the slices of ceil(V / K) rows of the table E, each on its stage,
    and n_k the first word of slice k:

        E x = sum_k [x is a word of slice k] E_k (x - n_k)

    where one term is not zero: the vectors are those of the whole table, bit for bit.
    The gradient of a slice is `tf.IndexedSlices` of its own words: a word of another
    slice touches none of its rows.

    Args:
        input_dim: V.
        output_dim: Width of a vector.
        shards: K, see `vocabulary_shards`.
        stages: Which device of a replica each slice lives on, in turn; None, and
            without a `DeviceGrid` in scope: where the layer is used.
        embeddings_initializer: For the whole table.
        mask_zero: Whether id 0 is padding and the layer gives a mask.
        **kwargs: As for `keras.layers.Layer`.

    Attributes:
        tables: The weights E_1 ... E_K, `[size, output_dim]` each.

    Call arguments:
        inputs: x, int, of any shape.

    Returns:
        float, `[..., output_dim]`.

    Raises:
        tf.errors.InvalidArgumentError: an id is outside the vocabulary, on any device;
            XLA leaves assertions out.

    Example:
        >>> layer = ShardedEmbedding(input_dim=5, output_dim=3, shards=2)
        >>> layer(tf.constant([[4, 0]])).shape
        TensorShape([1, 2, 3])
        >>> [tuple(table.shape) for table in layer.tables]
        [(3, 3), (2, 3)]
    """

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        shards: int,
        stages: Sequence[int] | None = None,
        embeddings_initializer: Any = "uniform",
        mask_zero: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.input_dim = input_dim
        self.output_dim = output_dim
        self.shards = shards
        self.stages = tuple(stages) if stages else None
        self.embeddings_initializer = keras.initializers.get(embeddings_initializer)
        self.mask_zero = mask_zero
        self.supports_masking = mask_zero
        self.vocabulary = vocabulary_shards(input_dim, shards)
        self.tables: list[keras.Variable] = []

    def build(self, input_shape: Any = None) -> None:
        """Creates the slices; their shapes do not depend on the input's."""
        shape = self.input_dim, self.output_dim
        for number, shard in enumerate(self.vocabulary):
            with variables_on(stage_of(self.stages, number)):
                table = self.add_weight(
                    shape=(shard.size, self.output_dim),
                    initializer=shard_initializer(
                        self.embeddings_initializer, shard, shape, "embeddings"
                    ),
                    name=shard_name("embeddings", number),
                    autocast=False,
                )
            # tf.train.Checkpoint saves nothing of weights that are only in a list.
            setattr(self, table.name, table)
            self.tables.append(table)
        self.built = True

    def call(self, inputs: tf.Tensor) -> tf.Tensor:
        """Looks words up; see the class."""
        ids = checked_ids(tf.cast(inputs, tf.int32), self.input_dim)
        found = []
        for number, (shard, table) in enumerate(
            zip(self.vocabulary, self.tables, strict=True)
        ):

            def look_up(table: tf.Tensor, shard: VocabularyShard = shard) -> tf.Tensor:
                return tf.cast(own_rows(table, ids, shard), self.compute_dtype)

            stage = stage_of(self.stages, number)
            found.append(placed(stage, look_up)(tf.convert_to_tensor(table.value)))
        return tf.add_n(found)

    def compute_mask(self, inputs: tf.Tensor, mask: Any = None) -> tf.Tensor | None:
        """Returns where the inputs are words, if `mask_zero`."""
        del mask
        return tf.not_equal(inputs, 0) if self.mask_zero else None

    def compute_output_shape(self, input_shape: Any) -> tuple[int | None, ...]:
        """Returns `[..., output_dim]`."""
        return (*input_shape, self.output_dim)

    def get_config(self) -> dict[str, Any]:
        """Returns the constructor's arguments."""
        serialize = keras.initializers.serialize
        return {
            **super().get_config(),
            "input_dim": self.input_dim,
            "output_dim": self.output_dim,
            "shards": self.shards,
            "stages": self.stages,
            "embeddings_initializer": serialize(self.embeddings_initializer),
            "mask_zero": self.mask_zero,
        }


def own_rows(table: tf.Tensor, ids: tf.Tensor, shard: VocabularyShard) -> tf.Tensor:
    """Returns the rows of a slice's own words, and zeros for the others.

    Args:
        table: The slice, `[size, width]`.
        ids: int, of the whole vocabulary, any shape.
        shard: Which words it has.

    Returns:
        `[..., width]`. Its gradient has slices for the own words only: a row that is
        there for a foreign one, with zeros, would count as used to an optimizer that
        remembers when it was.
    """
    own, rows = shard.local(ids)

    @tf.custom_gradient
    def look_up(table: tf.Tensor) -> tuple[tf.Tensor, Any]:
        found = tf.gather(table, rows)

        def gradient(d_found: tf.Tensor) -> tf.IndexedSlices:
            return tf.IndexedSlices(
                tf.boolean_mask(d_found, own),
                tf.boolean_mask(rows, own),
                tf.shape(table, out_type=rows.dtype),
            )

        return tf.where(own[..., tf.newaxis], found, 0), gradient

    return look_up(table)


def checked_ids(ids: tf.Tensor, vocabulary_size: int) -> tf.Tensor:
    """Returns ids of words; whatever uses them waits until all are words.

    A gather tells on a CPU alone, and a slice takes what is outside for foreign.

    Args:
        ids: int.
        vocabulary_size: Each is to be in `[0, vocabulary_size)`.

    Raises:
        tf.errors.InvalidArgumentError: an id is not.
    """
    message = f"id outside of the vocabulary of {vocabulary_size} words"
    inside = [
        tf.debugging.assert_non_negative(ids, message),
        tf.debugging.assert_less(ids, tf.cast(vocabulary_size, ids.dtype), message),
    ]
    with tf.control_dependencies([each for each in inside if each is not None]):
        return tf.identity(ids)
