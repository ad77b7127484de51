"""What knows every word: the embeddings and the softmax, whole or cut by vocabulary."""

from collections.abc import Sequence
from typing import Any

import keras

from nmt.layers import ShardedEmbedding, ShardedSoftmax
from nmt.models.softmax import WordLogits


def word_embedding(
    vocabulary_size: int,
    size: int,
    initializer: Any,
    shards: Sequence[int] | None = None,
    dtype: Any = None,
) -> keras.layers.Layer:
    """Returns a table of word vectors, called `embedding`.

    Args:
        vocabulary_size: Rows.
        size: Width of a vector.
        initializer: For the whole table.
        shards: Device of each slice of the vocabulary, see `ShardedEmbedding`; None: it
            is not cut.
        dtype: Of the layer.
    """
    options = {
        "embeddings_initializer": initializer,
        "dtype": dtype,
        "name": "embedding",
    }
    if shards is None:
        return keras.layers.Embedding(vocabulary_size, size, **options)
    return ShardedEmbedding(vocabulary_size, size, len(shards), shards, **options)


def word_projection(
    vocabulary_size: int,
    tied: bool = False,
    shards: Sequence[int] | None = None,
    recompute: bool = False,
    **options: Any,
) -> keras.layers.Layer:
    """Returns the last product before the softmax, called `projection`.

    Args:
        vocabulary_size: Words.
        tied: Whether its matrix is the table of the target embeddings.
        shards: Device of each slice of the vocabulary, see `ShardedSoftmax`; None: it
            is not cut.
        recompute: See there; of slices only.
        **options: Initializers and dtype.
    """
    options = {"tied": tied, "name": "projection", **options}
    if shards is None:
        return WordLogits(vocabulary_size, **options)
    return ShardedSoftmax(
        vocabulary_size, len(shards), shards, recompute=recompute, **options
    )


def tables_of(embedding: keras.layers.Layer) -> Any:
    """Returns what a tied projection multiplies by: a table, or its slices."""
    if isinstance(embedding, ShardedEmbedding):
        return embedding.tables
    return embedding.embeddings.value
