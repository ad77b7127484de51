"""Several rows a sentence: what they read of a memory that is not repeated."""

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from nmt.layers.attention_memory import AttentionMemory
from nmt.layers.attention_wrapper import AttentionWrapper
from nmt.layers.sentence_rows import attend_from_rows, repeat_for_rows
from tests.layers import attentions, wrapped
from tests.layers.attentions import ANNOTATION
from tests.layers.cases import assert_equal_nests

ROWS_A_SENTENCE = 2
random = np.random.default_rng(5)


def values(*shape: int) -> tf.Tensor:
    return tf.constant(random.normal(size=shape), tf.float64)


def memory_of(layer: Any) -> AttentionMemory:
    """Returns the memory of 3 sentences; the last has no word."""
    return layer.build_memory(values(3, 5, ANNOTATION), wrapped.MEMORY_MASK)


def repeated(memory: AttentionMemory) -> AttentionMemory:
    return AttentionMemory(*(np.repeat(each, ROWS_A_SENTENCE, 0) for each in memory))


@pytest.mark.parametrize("kind", attentions.KINDS)
def test_rows_attend_as_if_each_had_a_memory_of_its_own(kind: str) -> None:
    layer = attentions.make(kind, dtype="float64")
    memory = memory_of(layer)
    query = values(3 * ROWS_A_SENTENCE, attentions.KINDS[kind].hidden)
    found = attend_from_rows(layer, query, memory)
    assert_equal_nests(found, layer(query, repeated(memory)))


@pytest.mark.parametrize("kind", ["bahdanau", "scaled"])
@pytest.mark.parametrize("sentences", [0, 1, 3])
def test_number_of_rows_may_be_unknown_until_run(kind: str, sentences: int) -> None:
    layer = attentions.make(kind, dtype="float64")
    memory = tf.nest.map_structure(lambda each: each[:sentences], memory_of(layer))

    @tf.function(
        input_signature=[
            tf.TensorSpec([None, attentions.KINDS[kind].hidden], tf.float64),
            AttentionMemory(
                *(
                    tf.TensorSpec([None, None, *each.shape[2:]], each.dtype)
                    for each in memory
                )
            ),
        ]
    )
    def attend(query: tf.Tensor, memory: AttentionMemory) -> Any:
        return attend_from_rows(layer, query, memory)

    query = values(sentences * ROWS_A_SENTENCE, attentions.KINDS[kind].hidden)
    assert_equal_nests(attend(query, memory), layer(query, repeated(memory)))


@pytest.mark.parametrize("kind", ["bahdanau", "scaled"])
def test_known_shapes_stay_known_and_compile(kind: str) -> None:
    layer = attentions.make(kind, dtype="float64")
    memory = memory_of(layer)
    query = values(3 * ROWS_A_SENTENCE, attentions.KINDS[kind].hidden)
    attend = tf.function(
        lambda query, memory: attend_from_rows(layer, query, memory), jit_compile=True
    )
    context, alignments = attend.get_concrete_function(query, memory).outputs
    assert context.shape == (3 * ROWS_A_SENTENCE, ANNOTATION)
    assert alignments.shape == (3 * ROWS_A_SENTENCE, 5)
    assert_equal_nests(attend(query, memory), layer(query, repeated(memory)))


def test_rows_that_the_sentences_do_not_divide_are_refused() -> None:
    layer = attentions.make("bahdanau", dtype="float64")
    with pytest.raises(tf.errors.InvalidArgumentError):
        attend_from_rows(layer, values(4, attentions.HIDDEN), memory_of(layer))


@pytest.mark.parametrize("kind", [each for each in attentions.KINDS if each != "dot"])
@pytest.mark.parametrize("order", wrapped.ORDERS)
@pytest.mark.parametrize("cell", wrapped.CELLS)
def test_wrapper_steps_as_if_the_memory_were_repeated(
    kind: str, order: str, cell: str
) -> None:
    wrapper = wrapped.make(cell, order, kind)
    memory = memory_of(wrapper.attention)
    state = random_state(wrapper, repeated(memory))
    inputs = values(3 * ROWS_A_SENTENCE, wrapped.WIDTH)
    found = wrapper.step(inputs, state, memory)
    assert_equal_nests(found, wrapper.step(inputs, state, repeated(memory)))
    assert found[1].alignments.shape == (3 * ROWS_A_SENTENCE, 5)


def random_state(wrapper: AttentionWrapper, memory: AttentionMemory) -> Any:
    return tf.nest.map_structure(
        lambda zero: values(*zero.shape), wrapper.get_initial_state(memory)
    )


def test_values_are_repeated_next_to_each_other() -> None:
    rows = repeat_for_rows(tf.constant([[7, 1], [8, 2]]), tf.zeros([6]))
    np.testing.assert_array_equal(rows, np.repeat([[7, 1], [8, 2]], 3, axis=0))
    assert repeat_for_rows(tf.zeros([0, 4]), tf.zeros([0, 2])).shape == (0, 4)
