"""Sums, norms and rescaling of gradients with repeated rows."""

import numpy as np
import pytest
import tensorflow as tf

from nmt.training.gradients import combine_rows, divide_and_rescale, global_norm


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
    gradients = [tf.constant([12.0, 0.0]), tf.constant([[16.0]])]
    scaled, norm = divide_and_rescale(gradients, tf.constant(2.0), 5.0)
    assert float(norm) == pytest.approx(10.0)
    np.testing.assert_allclose(scaled[0], [3.0, 0.0])
    np.testing.assert_allclose(scaled[1], [[4.0]])


@pytest.mark.parametrize("max_norm", [0.0, 11.0])
def test_short_gradients_are_divided_only(max_norm: float) -> None:
    gradients = [tf.constant([12.0, 16.0])]
    scaled, _ = divide_and_rescale(gradients, tf.constant(2.0), max_norm)
    np.testing.assert_allclose(scaled[0], [6.0, 8.0])


def test_slices_stay_slices() -> None:
    (scaled,), _ = divide_and_rescale([slices()], tf.constant(4.0), 0.0)
    assert isinstance(scaled, tf.IndexedSlices)
    np.testing.assert_allclose(scaled.values[2], [-1.0])
