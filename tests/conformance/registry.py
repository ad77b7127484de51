"""Every public layer of `nmt.layers`, small, and what it reads."""

from typing import Any

import keras
import numpy as np
import tensorflow as tf

from nmt.layers import LSTM, LSTMStack

VOCABULARY_SIZE, WIDTH = 7, 3


def lstm(**options: Any) -> LSTM:
    return LSTM(4, return_sequences=True, **options)


def lstm_stack(**options: Any) -> LSTMStack:
    draw = keras.initializers.RandomUniform(-0.08, 0.08)
    return LSTMStack(
        4, 2, dropout=0.1, recurrent_initializer=draw, seed=1, kernel="quick", **options
    )


# From the name to a function that takes the arguments of `keras.layers.Layer`. Layers
# read `[batch, time, WIDTH]`.
EXAMPLES = {"LSTM": lstm, "LSTMStack": lstm_stack}


def first_output(outputs: Any) -> Any:
    return keras.tree.flatten(outputs)[0]


def sequences() -> tf.Tensor:
    """Returns a batch for the layer alone, `[4, 5, WIDTH]`."""
    return tf.constant(np.random.default_rng(0).normal(size=(4, 5, WIDTH)), tf.float32)


def make_model(layer: keras.layers.Layer) -> keras.Model:
    """Returns a classifier of padded ids with the layer in it."""
    ids = keras.Input([None], dtype="int32")
    embedded = keras.layers.Embedding(VOCABULARY_SIZE, WIDTH, mask_zero=True)(ids)
    outputs = first_output(layer(embedded))[:, -1]
    return keras.Model(ids, keras.layers.Dense(2, dtype="float32")(outputs))


def batch() -> tuple[np.ndarray, np.ndarray]:
    """Returns padded ids `[4, 5]`, with a row of padding alone, and their classes."""
    ids = np.array([[1, 2, 3, 0, 0], [4, 5, 6, 2, 1], [6, 0, 0, 0, 0], [0] * 5])
    return ids.astype(np.int32), np.array([0, 1, 0, 1])
