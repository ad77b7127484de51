"""Sums, norms and rescaling of gradients with repeated rows."""

import numpy as np
import pytest
import tensorflow as tf

from nmt.training.gradients import combine_rows, divide, global_norm, rescale


def slices() -> tf.IndexedSlices:
    """Rows 1, 1, 1 and 3; the true gradient is -1 in row 1 and 1 in row 3."""
    return tf.IndexedSlices(
        tf.constant([[1.0], [2.0], [-4.0], [1.0]]),
        tf.constant([1, 1, 1, 3]),
        tf.constant([5, 1]),
    )


def test_combined_rows_are_the_dense_gradient() -> None:
    combined = combine_rows(slices())
    assert sorted(combined.indices.numpy().tolist()) == [1, 3]
    np.testing.assert_array_equal(
        tf.convert_to_tensor(combined), tf.convert_to_tensor(slices())
    )


def test_norm_counts_a_repeated_row_once() -> None:
    gradients = [combine_rows(slices()), tf.constant([[3.0, 4.0]])]
    assert float(global_norm(gradients)) == pytest.approx(np.sqrt(2 + 25))


def test_rescale_keeps_the_direction_over_all_gradients() -> None:
    gradients = [tf.constant([6.0, 0.0]), tf.constant([[8.0]])]
    scaled = rescale(gradients, global_norm(gradients), 5.0)
    np.testing.assert_allclose(scaled[0], [3.0, 0.0])
    np.testing.assert_allclose(scaled[1], [[4.0]])


@pytest.mark.parametrize("max_norm", [0.0, 11.0])
def test_rescale_leaves_short_gradients(max_norm: float) -> None:
    gradients = [tf.constant([6.0, 8.0])]
    scaled = rescale(gradients, global_norm(gradients), max_norm)
    np.testing.assert_array_equal(scaled[0], gradients[0])


def test_divide_keeps_slices() -> None:
    (divided,) = divide([slices()], tf.constant(4.0))
    assert isinstance(divided, tf.IndexedSlices)
    np.testing.assert_allclose(divided.values[2], [-1.0])
