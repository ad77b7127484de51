import numpy as np
import pytest
import tensorflow as tf

from nmt.layers.attention_step import (
    AttentionTensors,
    annotations_gradient,
    attend,
    attend_gradient,
    masked_softmax,
    weighted_sum,
    wide,
)
from tests.layers.cases import assert_equal_nests
from tests.reference import attention
from tests.reference.differences import assert_gradient, numeric_gradient
from tests.tolerance import assert_close

MASK = np.array([[1, 1, 1, 1], [1, 0, 1, 0], [0, 0, 0, 0], [0, 1, 0, 0]], bool)


def random_step() -> tuple[tf.Tensor, AttentionTensors]:
    random = np.random.default_rng(0)

    def draw(*shape: int) -> tf.Tensor:
        return tf.constant(random.normal(size=shape))

    tensors = AttentionTensors(
        annotations=draw(4, 4, 3),
        keys=draw(4, 4, 5),
        mask=tf.constant(MASK),
        query_kernel=draw(2, 5),
        energy_vector=draw(5),
        context_kernel=None,
    )
    return draw(4, 5), tensors


@pytest.mark.parametrize("scale", [1.0, 1e4])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_softmax_equals_the_reference(dtype: str, scale: float) -> None:
    energies = tf.cast(scale * np.random.default_rng(0).normal(size=(4, 4)), dtype)
    alignments = masked_softmax(energies, MASK)
    assert alignments.dtype == wide(dtype)
    expected = attention.masked_softmax(tf.cast(energies, tf.float64).numpy(), MASK)
    assert_close(alignments, expected, alignments.dtype.name)
    np.testing.assert_array_equal(alignments.numpy()[~MASK], 0)


def test_softmax_of_no_words_is_empty() -> None:
    assert masked_softmax(tf.zeros([2, 0]), np.zeros([2, 0], bool)).shape == [2, 0]


def test_gradient_of_the_softmax_equals_central_differences() -> None:
    random = np.random.default_rng(1)
    energies, above = random.normal(size=(2, 4, 4))
    with tf.GradientTape() as tape:
        values = tf.constant(energies)
        tape.watch(values)
        total = tf.reduce_sum(masked_softmax(values, MASK) * above)
    measured = numeric_gradient(
        lambda: (attention.masked_softmax(energies, MASK) * above).sum(), energies
    )
    assert_gradient(tape.gradient(total, values).numpy(), measured)


def test_energies_are_wide_in_half_precision_alone() -> None:
    for dtype in ("float16", "bfloat16", "float32"):
        assert wide(dtype) == wide(tf.as_dtype(dtype)) == tf.float32
    assert wide("float64") == wide(tf.float64) == tf.float64


def test_attention_equals_the_reference() -> None:
    query, tensors = random_step()
    # Queries and keys are projected already.
    expected = attention.bahdanau(
        query.numpy(),
        tensors.keys.numpy(),
        MASK,
        np.eye(5),
        np.eye(5),
        tensors.energy_vector.numpy(),
    )[1]
    context, alignments = attend(query, tensors)
    assert_close(alignments, expected, "float64")
    expected = np.einsum("bj,bja->ba", expected, tensors.annotations.numpy())
    assert_close(context, expected, "float64")


def test_many_queries_are_each_alone() -> None:
    query, tensors = random_step()
    queries = tf.stack([query, -query, 2 * query], 1)
    found = attend(queries, tensors)
    for position in range(3):
        alone = attend(queries[:, position], tensors)
        assert_equal_nests([part[:, position] for part in found], list(alone))


def test_gradients_equal_automatic_differentiation() -> None:
    query, tensors = random_step()
    random = np.random.default_rng(2)
    d_context, d_alignments = random.normal(size=(4, 3)), random.normal(size=(4, 4))
    sources = (query, tensors.keys, tensors.energy_vector, tensors.annotations)
    with tf.GradientTape() as tape:
        tape.watch(sources)
        outputs = attend(query, tensors)
    expected = tape.gradient(outputs, sources, [d_context, d_alignments])
    above = tf.constant(d_context), tf.constant(d_alignments)
    found = attend_gradient(query, outputs.alignments, tensors, *above)
    keys = found.energies[:, :, tf.newaxis] - found.squares
    keys *= tensors.energy_vector
    assert_equal_nests([found.query, keys, found.energy_vector], expected[:3])
    annotations = annotations_gradient(outputs[1][tf.newaxis], d_context[np.newaxis])
    assert_close(annotations, expected[3], "float64")


def test_annotations_gradient_is_summed_over_steps() -> None:
    random = np.random.default_rng(3)
    alignments, d_contexts = (
        random.normal(size=(6, 2, 4)),
        random.normal(size=(6, 2, 3)),
    )
    expected = np.einsum("tbj,tba->bja", alignments, d_contexts)
    found = annotations_gradient(tf.constant(alignments), tf.constant(d_contexts))
    assert_close(found, expected, "float64")


def test_weighted_sum_is_in_the_annotations_type() -> None:
    random = np.random.default_rng(4)
    alignments, annotations = (
        random.normal(size=(2, 3, 4)),
        random.normal(size=(2, 4, 5)),
    )
    expected = np.einsum("btj,bja->bta", alignments, annotations)
    found = weighted_sum(tf.constant(alignments, tf.float32), tf.constant(annotations))
    assert found.dtype == tf.float64
    assert_close(found, expected, "float32")
    first = weighted_sum(tf.constant(alignments[:, 0]), tf.constant(annotations))
    assert_close(first, expected[:, 0], "float64")
