"""What is particular to additive attention; the rest: `test_attention_layers`."""

import keras
import numpy as np
import tensorflow as tf

from nmt.layers.bahdanau_attention import BahdanauAttention
from tests.layers.attentions import make
from tests.tolerance import assert_close


def test_weights_have_the_papers_shapes() -> None:
    layer = make("bahdanau")
    assert layer.query_kernel.shape == (3, 6)
    assert layer.memory_kernel.shape == (4, 6)
    assert layer.energy_vector.shape == (6,)
    assert len(layer.weights) == 3
    assert make("normalized").count_params() == layer.count_params() + 6 + 1


def test_keys_are_the_annotations_by_u_a() -> None:
    layer = make("bahdanau", dtype="float64")
    annotations = np.random.default_rng(0).normal(size=(2, 5, 4))
    memory = layer.build_memory(annotations)
    assert_close(memory.keys, annotations @ layer.memory_kernel.numpy(), "float64")
    assert memory.mask.numpy().all()


def test_memory_may_be_built_before_the_rest() -> None:
    layer = BahdanauAttention(units=8)
    memory = layer.build_memory(tf.ones([2, 5, 6]))
    kernel = layer.memory_kernel
    context, _ = layer(tf.ones([2, 4]), memory)
    assert context.shape == [2, 6]
    assert layer.memory_kernel is kernel


def test_energy_vector_of_zeros_aligns_evenly() -> None:
    layer = BahdanauAttention(units=8, energy_initializer="zeros")
    _, alignments = layer(tf.ones([2, 4]), tf.random.normal([2, 5, 6]))
    np.testing.assert_allclose(alignments, np.full([2, 5], 0.2), rtol=1e-6)


def test_normalized_layer_starts_with_a_vector_of_length_one() -> None:
    layer = BahdanauAttention(units=8, normalize=True)
    layer(tf.ones([2, 4]), tf.ones([2, 5, 6]))
    memory = layer.build_memory(tf.ones([2, 5, 6]))
    length = tf.norm(layer.tensors(memory).energy_vector)
    assert_close(length, 1.0, "float32")
    np.testing.assert_array_equal(layer.bias, np.zeros(8))


def test_length_of_a_normalized_vector_has_no_effect() -> None:
    layer = make("normalized", dtype="float64")
    query, annotations = tf.random.normal([2, 3]), tf.random.normal([2, 5, 4])
    _, alignments = layer(query, annotations)
    layer.energy_vector.assign(3 * layer.energy_vector)
    assert_close(layer(query, annotations)[1], alignments, "float64")


def test_energies_are_summed_in_float32() -> None:
    layer = BahdanauAttention(units=2, dtype="mixed_bfloat16")
    layer.build((None, 2), (None, None, 2))
    # e_1 = 256 tanh(9) + tanh(1), e_2 = 256 tanh(9): bfloat16 has no numbers between.
    layer.memory_kernel.assign(np.eye(2))
    layer.energy_vector.assign([256.0, 1.0])
    annotations = tf.constant([[[9.0, 1.0], [9.0, 0.0]]])
    _, alignments = layer(tf.zeros([1, 2]), annotations)
    odds = np.exp(np.tanh(1.0))
    assert_close(alignments, [[odds / (1 + odds), 1 / (1 + odds)]], "float16")


def test_initializers_reach_their_weights() -> None:
    constants = [keras.initializers.Constant(value) for value in (1.0, 2.0, 3.0)]
    layer = BahdanauAttention(5, False, *constants)
    layer.build((None, 2), (None, None, 3))
    weights = layer.query_kernel, layer.memory_kernel, layer.energy_vector
    assert [float(np.unique(weight)[0]) for weight in weights] == [1, 2, 3]
