"""Every public layer of `nmt.layers`, small, as a layer of one input."""

import functools
from collections.abc import Callable
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from nmt.layers import (
    GRU,
    LSTM,
    AttentionWrapper,
    BahdanauAttention,
    BidirectionalStack,
    GRUStack,
    LSTMStack,
    LuongAttention,
    Maxout,
    RecurrentStack,
    ShardedEmbedding,
    ShardedSoftmax,
)

VOCABULARY_SIZE, WIDTH, UNITS = 7, 4, 4

# Layers that are there to be derived from.
ABSTRACT = {RecurrentStack}


def recurrent(layer_type: Any, **options: Any) -> keras.layers.Layer:
    return layer_type(UNITS, return_sequences=True, **options)


def stack(layer_type: Any, **options: Any) -> keras.layers.Layer:
    draw = keras.initializers.RandomUniform(-0.08, 0.08)
    return layer_type(
        UNITS,
        2,
        dropout=0.1,
        recurrent_initializer=draw,
        seed=1,
        residual=True,
        layer_norm=True,
        **options,
    )


def bidirectional(**options: Any) -> keras.layers.Layer:
    return BidirectionalStack(
        "lstm",
        UNITS,
        2,
        dropout=0.1,
        variational_dropout=True,
        residual=True,
        layer_norm=True,
        **options,
    )


def wrapper(cell: Any, attention: Any, *, given: dict[str, Any], **options: Any) -> Any:
    dtype = {"dtype": options["dtype"]} if "dtype" in options else {}
    return AttentionWrapper(cell(**dtype), attention(**dtype), **given, **options)


def stacked_cells(**options: Any) -> keras.layers.Layer:
    cells = [
        keras.layers.LSTMCell(UNITS, dropout=0.1, seed=1, **options) for _ in range(2)
    ]
    return keras.layers.StackedRNNCells(cells, **options)


additive = functools.partial(BahdanauAttention, 5)
layer = functools.partial(
    GRUStack, UNITS, 1, dropout=0.1, variational_dropout=True, seed=1
)


# From the name to a function that takes the arguments of `keras.layers.Layer`.
EXAMPLES: dict[str, Callable[..., Any]] = {
    "LSTM": functools.partial(recurrent, LSTM),
    "GRU": functools.partial(recurrent, GRU),
    "LSTMStack": functools.partial(stack, LSTMStack),
    "GRUStack": functools.partial(stack, GRUStack, variational_dropout=True),
    "BidirectionalStack": bidirectional,
    "BahdanauAttention": additive,
    "BahdanauAttention.normalized": functools.partial(additive, normalize=True),
    "LuongAttention.dot": functools.partial(LuongAttention, "dot"),
    "LuongAttention.general": functools.partial(LuongAttention, "general"),
    "LuongAttention.scaled": functools.partial(LuongAttention, "scaled"),
    "AttentionWrapper.quick": functools.partial(
        wrapper, layer, additive, given={"query": "previous"}
    ),
    "AttentionWrapper.plain": functools.partial(
        wrapper,
        stacked_cells,
        functools.partial(LuongAttention, "general"),
        given={"query": "new", "attention_size": 3},
    ),
    "AttentionWrapper.hoisted": functools.partial(
        wrapper,
        functools.partial(stack, LSTMStack),
        functools.partial(LuongAttention, "scaled"),
        given={"query": "new", "input_feeding": False, "attention_size": 3},
    ),
    "Maxout": Maxout,
    "ShardedEmbedding": functools.partial(
        ShardedEmbedding, VOCABULARY_SIZE, UNITS, shards=3, stages=(0, 1)
    ),
    "ShardedSoftmax": functools.partial(
        ShardedSoftmax, VOCABULARY_SIZE, shards=3, stages=(0, 1)
    ),
}

# Layers whose outputs are float32 in mixed precision too.
EXACT = {ShardedSoftmax}


def reads_memory(layer: keras.layers.Layer) -> bool:
    return isinstance(layer, AttentionWrapper | BahdanauAttention | LuongAttention)


def reads_ids(layer: keras.layers.Layer) -> bool:
    return isinstance(layer, ShardedEmbedding)


def build(layer: keras.layers.Layer) -> None:
    shape = (None, None, WIDTH)
    layer.build(*[shape] * (1 + reads_memory(layer)))


def call(layer: keras.layers.Layer, inputs: Any, **options: Any) -> Any:
    """Calls the layer; the same sequences are also what is attended to.

    An attention attends from all positions at once. Slices of logits are joined, so
    that gradients reach every weight.
    """
    outputs = layer(*[inputs] * (1 + reads_memory(layer)), **options)
    if isinstance(layer, ShardedSoftmax):
        return keras.ops.concatenate(outputs, axis=-1)
    return outputs


def first_output(outputs: Any) -> Any:
    return keras.tree.flatten(outputs)[0]


def signature(layer: keras.layers.Layer) -> tf.TensorSpec:
    """Returns what the layer reads, of any batch and length."""
    if reads_ids(layer):
        return tf.TensorSpec([None, None], tf.int32)
    return tf.TensorSpec([None, None, WIDTH])


def sequences(layer: keras.layers.Layer) -> tf.Tensor:
    """Returns a batch for the layer alone, `[4, 5, WIDTH]`, or ids `[4, 5]`."""
    if reads_ids(layer):
        return tf.constant(batch()[0])
    return tf.constant(np.random.default_rng(0).normal(size=(4, 5, WIDTH)), tf.float32)


def make_model(layer: keras.layers.Layer) -> keras.Model:
    """Returns a classifier of padded ids with the layer in it.

    It adds up the layer's outputs at words: those at padding mean nothing.
    """
    ids = keras.Input([None], dtype="int32")
    inputs = ids
    if not reads_ids(layer):
        inputs = keras.layers.Embedding(VOCABULARY_SIZE, WIDTH, mask_zero=True)(ids)
    outputs = first_output(call(layer, inputs))
    words = keras.ops.cast(keras.ops.not_equal(ids, 0), "float32")[..., None]
    total = keras.ops.sum(keras.ops.cast(outputs, "float32") * words, axis=1)
    return keras.Model(ids, keras.layers.Dense(2, dtype="float32")(total))


def batch() -> tuple[np.ndarray, np.ndarray]:
    """Returns padded ids `[4, 5]`, with a row of padding alone, and their classes."""
    ids = np.array([[1, 2, 3, 0, 0], [4, 5, 6, 2, 1], [6, 0, 0, 0, 0], [0] * 5])
    return ids.astype(np.int32), np.array([0, 1, 0, 1])
