import numpy as np
import pytest
import tensorflow as tf

from nmt.layers.attention_memory import (
    AttentionMemory,
    annotations_shape,
    masked_annotations,
)

MASK = np.array([[True, True], [True, False]])


@pytest.mark.parametrize("kind", [bool, np.int32, np.float32])
def test_annotations_are_zero_at_padding_whatever_is_there(kind: type) -> None:
    annotations = np.ones([2, 2, 3])
    annotations[1, 1] = np.nan
    values, mask = masked_annotations(annotations, MASK.astype(kind), "float32")
    np.testing.assert_array_equal(values[:, :, 0], MASK)
    np.testing.assert_array_equal(mask, MASK)
    assert (values.dtype, mask.dtype) == (tf.float32, tf.bool)


def test_no_mask_means_words_alone() -> None:
    values, mask = masked_annotations(tf.ones([2, 5, 3]), None, "float16")
    assert values.dtype == tf.float16
    assert mask.shape == [2, 5]
    assert mask.numpy().all()


def test_shape_of_a_memory_is_known_in_any_form() -> None:
    shape, keys, mask = (None, 5, 3), (None, 5, 8), (None, 5)
    assert annotations_shape(shape) == shape
    assert annotations_shape(AttentionMemory(shape, keys, mask)) == shape
    # As it is in a file.
    assert annotations_shape([list(shape), list(keys), list(mask)]) == list(shape)
    assert annotations_shape(tf.TensorShape([2, 5, 3]))[-1] == 3
