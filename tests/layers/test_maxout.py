import keras
import numpy as np
import pytest
import tensorflow as tf

from nmt.layers.maxout import Maxout
from tests.layers.cases import EXECUTIONS
from tests.reference import maxout
from tests.reference.differences import assert_gradient, numeric_gradient
from tests.tolerance import assert_close


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("execution", EXECUTIONS)
@pytest.mark.parametrize("shape", [(3, 8), (2, 3, 8), (0, 3, 8), (2, 3, 4, 2)])
def test_output_equals_the_reference(
    shape: tuple[int, ...], execution: str, dtype: str
) -> None:
    inputs = np.random.default_rng(0).normal(size=shape)
    outputs = EXECUTIONS[execution](Maxout(dtype=dtype))(tf.constant(inputs, dtype))
    assert outputs.dtype == dtype
    assert_close(outputs, maxout.maxout(inputs), dtype)


def test_gradient_goes_to_the_larger_unit() -> None:
    random = np.random.default_rng(1)
    inputs, above = random.normal(size=(3, 8)), random.normal(size=(3, 4))
    with tf.GradientTape() as tape:
        values = tf.constant(inputs)
        tape.watch(values)
        total = tf.reduce_sum(Maxout(dtype="float64")(values) * above)
    measured = numeric_gradient(lambda: (maxout.maxout(inputs) * above).sum(), inputs)
    assert_gradient(tape.gradient(total, values).numpy(), measured)


def test_odd_widths_are_refused() -> None:
    with pytest.raises(ValueError, match="maxout needs pairs of units, got 5"):
        Maxout()(tf.zeros([2, 5]))


def test_known_sizes_stay_known() -> None:
    assert Maxout()(keras.Input([None, 8])).shape == (None, None, 4)
    assert Maxout()(keras.Input([7, 8])).shape == (None, 7, 4)


def test_mask_passes_through() -> None:
    ids = np.array([[1, 2, 0]])
    embedded = keras.layers.Embedding(3, 4, mask_zero=True)(ids)
    np.testing.assert_array_equal(Maxout()(embedded)._keras_mask, ids != 0)
