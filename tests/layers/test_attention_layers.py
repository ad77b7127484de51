"""What holds for every kind of attention."""

from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

from tests.layers.attentions import ANNOTATION, KINDS, expected, make
from tests.layers.cases import EXECUTIONS, assert_equal_nests, weighted_total
from tests.tolerance import assert_close

every_kind = pytest.mark.parametrize("kind", KINDS)
# A full row, one of two words, one of padding alone.
MASK = np.array([[1, 1, 1, 1, 1], [1, 1, 0, 0, 0], [0, 0, 0, 0, 0]], bool)


def batch(kind: str, dtype: str = "float64") -> tuple[tf.Tensor, tf.Tensor]:
    """Returns queries `[3, 2, hidden]` and annotations `[3, 5, ANNOTATION]`."""
    random = np.random.default_rng(1)
    queries = random.normal(size=(3, 2, KINDS[kind].hidden))
    annotations = random.normal(size=(3, 5, ANNOTATION))
    return tf.constant(queries, dtype), tf.constant(annotations, dtype)


def attend(layer: Any, query: tf.Tensor, annotations: tf.Tensor) -> Any:
    return layer(query, layer.build_memory(annotations, MASK))


@every_kind
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("execution", ["eager", "graph"])
def test_context_and_alignments_equal_the_reference(
    execution: str, dtype: str, kind: str
) -> None:
    layer = make(kind, dtype=dtype)
    queries, annotations = batch(kind, dtype)
    one, many = EXECUTIONS[execution](
        lambda: (
            attend(layer, queries[:, 0], annotations),
            attend(layer, queries, annotations),
        )
    )()
    for position in range(2):
        reference = expected(kind, layer, queries[:, position], annotations, MASK)
        of_many = [value[:, position] for value in many]
        assert_equal_nests(of_many, reference, dtype, f"query {position}")
        if position == 0:
            assert_equal_nests(one, reference, dtype, "a query alone")


@every_kind
def test_annotations_do_for_a_memory(kind: str) -> None:
    layer = make(kind, dtype="float64")
    queries, annotations = batch(kind)
    given = layer(queries, annotations, memory_mask=MASK)
    assert_equal_nests(given, attend(layer, queries, annotations))
    unmasked = layer(queries, layer.build_memory(annotations))
    assert_equal_nests(layer(queries, annotations), unmasked)
    assert np.abs(unmasked[0] - given[0]).max() > 0.01


@every_kind
def test_xla_equals_eager(kind: str) -> None:
    layer = make(kind, dtype="float64")
    queries, annotations = batch(kind)

    def run() -> Any:
        with tf.GradientTape() as tape:
            tape.watch([queries, annotations])
            outputs = attend(layer, queries, annotations)
            total = weighted_total(outputs)
        return outputs, tape.gradient(total, [queries, annotations])

    assert_equal_nests(EXECUTIONS["xla"](run)(), run())


@every_kind
def test_alignments_sum_to_one_but_in_an_empty_row(kind: str) -> None:
    context, alignments = attend(make(kind), *batch(kind, "float32"))
    np.testing.assert_allclose(
        tf.reduce_sum(alignments, -1), [[1, 1], [1, 1], [0, 0]], atol=1e-6
    )
    np.testing.assert_array_equal(alignments.numpy()[1, :, 2:], 0)
    np.testing.assert_array_equal(context[2], 0)


@every_kind
@pytest.mark.parametrize("policy", ["float64", "mixed_float16", "mixed_bfloat16"])
def test_gradients_are_finite_where_all_is_padding(kind: str, policy: str) -> None:
    layer = make(kind, dtype=policy)
    queries, annotations = batch(kind, layer.compute_dtype)
    weights = [weight.value for weight in layer.trainable_variables]
    with tf.GradientTape() as tape:
        tape.watch([queries, annotations])
        total = weighted_total(attend(layer, queries, annotations))
    gradients = tape.gradient(total, [queries, annotations, *weights])
    for gradient in gradients:
        assert np.isfinite(tf.cast(gradient, tf.float32)).all()
    padding = tf.cast(gradients[1], tf.float32).numpy()[~MASK]
    np.testing.assert_array_equal(padding, 0)
    np.testing.assert_array_equal(tf.cast(gradients[0][2], tf.float32), 0)


@every_kind
def test_padding_has_no_effect_whatever_it_holds(kind: str) -> None:
    layer = make(kind, dtype="float64")
    queries, annotations = batch(kind)
    context, alignments = attend(layer, queries, annotations)
    wide = np.pad(annotations, [(0, 0), (0, 3), (0, 0)])
    mask = np.pad(MASK, [(0, 0), (0, 3)])
    wide[~mask] = np.nan
    memory = layer.build_memory(tf.constant(wide), mask)
    padded = np.pad(alignments, [(0, 0), (0, 0), (0, 3)])
    assert_equal_nests(layer(queries, memory), (context, padded))


@every_kind
def test_order_of_words_and_sentences_changes_nothing(kind: str) -> None:
    layer = make(kind, dtype="float64")
    queries, annotations = (value.numpy() for value in batch(kind))
    context, alignments = attend(layer, queries, annotations)
    rows, words = np.array([2, 0, 1]), np.array([3, 1, 4, 0, 2])
    memory = layer.build_memory(annotations[rows][:, words], MASK[rows][:, words])
    moved = layer(queries[rows], memory)
    expected_alignments = alignments.numpy()[rows][:, :, words]
    assert_equal_nests(moved, (context.numpy()[rows], expected_alignments))


@every_kind
def test_two_memories_live_in_one_graph(kind: str) -> None:
    layer = make(kind, dtype="float64")
    queries, annotations = batch(kind)

    @tf.function
    def both() -> Any:
        one = layer.build_memory(annotations, MASK)
        other = layer.build_memory(-annotations[:, :3])
        return layer(queries, one), layer(queries, other), layer(queries, one)

    first, second, again = both()
    assert_equal_nests(first, attend(layer, queries, annotations))
    assert_equal_nests(second, layer(queries, layer.build_memory(-annotations[:, :3])))
    assert_equal_nests(again, first)


@every_kind
@pytest.mark.parametrize("policy", ["mixed_float16", "mixed_bfloat16"])
def test_mixed_precision_has_alignments_in_float32(kind: str, policy: str) -> None:
    layer = make(kind, dtype=policy)
    queries, annotations = batch(kind, layer.compute_dtype)
    context, alignments = attend(layer, queries, annotations)
    assert context.dtype == layer.compute_dtype
    assert alignments.dtype == tf.float32
    sums = tf.reduce_sum(alignments, -1)
    # As exact as in float32: only the energies are rounded.
    assert_close(sums, [[1, 1], [1, 1], [0, 0]], "float32")
    exact = attend(make(kind, dtype="float64"), *batch(kind))
    assert_equal_nests((context, alignments), exact, layer.compute_dtype)


@every_kind
def test_mask_comes_from_the_embedding(kind: str) -> None:
    ids = np.array([[1, 2, 3], [4, 0, 0], [0, 0, 0]])
    embedded = keras.layers.Embedding(5, ANNOTATION, mask_zero=True)(ids)
    layer = make(kind)
    query = tf.ones([3, KINDS[kind].hidden])
    _, alignments = layer(query, embedded)
    np.testing.assert_array_equal(alignments.numpy() > 0, ids != 0)


@every_kind
def test_memory_is_passed_in_a_keras_file(kind: str, tmp_path: Any) -> None:
    """Keras keeps no named tuples in its files."""
    layer = make(kind)
    queries, annotations = batch(kind, "float32")
    memory = layer.build_memory(annotations, MASK)
    inputs = [keras.Input(queries.shape[1:]), *map(_input_like, memory)]
    outputs = layer(inputs[0], type(memory)(*inputs[1:]))
    model = keras.Model(inputs, outputs)
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    values = [queries, *memory]
    assert_equal_nests(loaded(values), model(values), "float32")
    assert_equal_nests(model(values), layer(queries, memory), "float32")


def _input_like(value: tf.Tensor) -> Any:
    return keras.Input(value.shape[1:], dtype=value.dtype.name)


@every_kind
def test_config_makes_the_same_layer(kind: str) -> None:
    layer = make(kind, name="given")
    copy = type(layer).from_config(layer.get_config())
    assert copy.get_config() == layer.get_config()
