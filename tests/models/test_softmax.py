"""Logits of words: one product, with a matrix of its own or the embeddings'."""

import keras
import numpy as np
import tensorflow as tf

from nmt.models import WordLogits
from tests.reference import maxout
from tests.tolerance import assert_close

INPUTS = np.random.default_rng(1).normal(size=(2, 3, 4)).astype(np.float32)
TABLE = np.random.default_rng(2).normal(size=(7, 4)).astype(np.float32)


def test_logits_equal_the_reference() -> None:
    layer = WordLogits(7, bias_initializer="random_normal")
    logits = layer(INPUTS)
    expected = maxout.logits(INPUTS, layer.kernel.numpy(), layer.bias.numpy())
    assert_close(logits, expected, "float32")


def test_tied_weights_are_the_table() -> None:
    layer = WordLogits(7, tied=True, bias_initializer="random_normal")
    layer.build((None, None, 4))
    assert [weight.name for weight in layer.weights] == ["bias"]
    table = tf.Variable(TABLE)
    with tf.GradientTape() as tape:
        logits = layer(INPUTS, table)
        loss = tf.reduce_sum(logits)
    assert_close(logits, INPUTS @ TABLE.T + layer.bias.numpy(), "float32")
    gradient = tape.gradient(loss, table)
    assert_close(gradient, np.tile(INPUTS.sum((0, 1)), (7, 1)), "float32")


def test_logits_are_float32_in_half_precision() -> None:
    layer = WordLogits(7, dtype=keras.DTypePolicy("mixed_bfloat16"))
    assert layer(INPUTS).dtype == tf.float32
    assert layer.kernel.dtype == "float32"


def test_configuration_makes_an_equal_layer() -> None:
    layer = WordLogits(7, tied=True, bias_initializer="ones")
    copy = WordLogits.from_config(layer.get_config())
    assert copy.get_config() == layer.get_config()
    assert copy.tied
