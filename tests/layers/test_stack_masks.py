import numpy as np
import tensorflow as tf

from nmt.layers.stack_masks import StackMasks


def test_masks_of_a_step() -> None:
    steps = tf.reshape(tf.range(12.0), [1, 4, 3])
    masks = StackMasks(between=(steps,), recurrent=(-tf.ones([1, 3]),))
    step = masks.at(tf.constant(2))
    np.testing.assert_array_equal(step.between, [[[6, 7, 8]]])
    np.testing.assert_array_equal(step.recurrent, masks.recurrent)


def test_masks_of_one_step_do_for_all() -> None:
    masks = StackMasks(between=(tf.constant([[[5.0, 6.0]]]),), recurrent=())
    for t in range(3):
        step = masks.at(tf.constant(t))
        np.testing.assert_array_equal(step.between, [[[5, 6]]])
        assert step.recurrent == ()
