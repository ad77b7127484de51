import numpy as np
import pytest
import tensorflow as tf

from nmt.layers.matrix_product import masked_product, pad_columns, product
from tests.layers.cases import EXECUTIONS, assert_equal_nests
from tests.reference.differences import assert_gradient, numeric_gradient
from tests.tolerance import assert_close


@pytest.mark.parametrize(
    ("columns", "padded"), [(4, 4), (500, 500), (512, 544), (1024, 1056)]
)
def test_only_rows_of_whole_2_kib_are_padded(columns: int, padded: int) -> None:
    for shape in ([columns], [3, columns]):
        weight = tf.ones(shape)
        assert pad_columns(weight).shape == [*shape[:-1], padded]
        np.testing.assert_array_equal(pad_columns(weight)[..., :columns], weight)
        np.testing.assert_array_equal(pad_columns(weight)[..., columns:], 0)


@pytest.mark.parametrize("execution", EXECUTIONS)
@pytest.mark.parametrize("leading", [[3], [2, 3], [2, 1, 3], [0, 3]])
def test_product_and_gradients_are_those_of_matmul(
    leading: list[int], execution: str
) -> None:
    random = np.random.default_rng(0)
    inputs = tf.constant(random.normal(size=[*leading, 4]))
    kernel = tf.constant(random.normal(size=[4, 5]))
    above = tf.constant(random.normal(size=[*leading, 5]))

    def run(multiply: object) -> object:
        with tf.GradientTape() as tape:
            tape.watch([inputs, kernel])
            outputs = multiply(inputs, kernel)
        return outputs, tape.gradient(outputs, [inputs, kernel], above)

    result = EXECUTIONS[execution](lambda: run(product))()
    expected = run(lambda x, w: tf.tensordot(x, w, 1))
    assert_equal_nests(result, expected)


def test_gradient_is_that_of_central_differences() -> None:
    random = np.random.default_rng(1)
    arrays = [random.normal(size=shape) for shape in ([2, 3, 4], [4, 5])]
    above = random.normal(size=[2, 3, 5])
    tensors = [tf.constant(array) for array in arrays]
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        loss = tf.reduce_sum(product(*tensors) * above)
    gradients = tape.gradient(loss, tensors)
    for array, gradient in zip(arrays, gradients, strict=True):
        measured = numeric_gradient(
            lambda: float(tf.reduce_sum(product(*map(tf.constant, arrays)) * above)),
            array,
        )
        assert_gradient(gradient.numpy(), measured)


@pytest.mark.parametrize("rows_and_columns", [(512, 3), (3, 512)])
def test_padding_of_either_matrix_is_cut_off(rows_and_columns: tuple[int, int]) -> None:
    random = np.random.default_rng(2)
    kernel = tf.constant(random.normal(size=rows_and_columns))
    inputs = tf.constant(random.normal(size=[4, rows_and_columns[0]]))
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        outputs = product(inputs, kernel)
    gradient = tape.gradient(outputs, inputs)
    assert_close(outputs, inputs @ kernel, "float64")
    assert_close(gradient, tf.ones_like(outputs) @ tf.transpose(kernel), "float64")


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_types_are_kept(dtype: str) -> None:
    inputs, kernel = tf.ones([2, 3], dtype), tf.ones([3, 4], dtype)
    assert product(inputs, kernel).dtype == dtype
    assert_close(
        tf.cast(product(inputs, kernel), tf.float32), np.full([2, 4], 3), dtype
    )


def test_known_sizes_stay_known() -> None:
    specification = tf.TensorSpec([None, 7, 3])
    graph = tf.function(product).get_concrete_function(
        specification, tf.TensorSpec([3, 4])
    )
    assert graph.output_shapes.as_list() == [None, 7, 4]


def test_second_derivatives_are_those_of_matmul() -> None:
    inputs, kernel = tf.constant([[1.0, 2.0]]), tf.constant([[3.0], [4.0]])

    def second(multiply: object) -> tf.Tensor:
        with tf.GradientTape() as outer:
            outer.watch(kernel)
            with tf.GradientTape() as inner:
                inner.watch(inputs)
                loss = tf.reduce_sum(multiply(inputs, kernel) ** 3)
            steepness = tf.reduce_sum(inner.gradient(loss, inputs) ** 2)
        return outer.gradient(steepness, kernel)

    assert_close(second(product), second(tf.matmul), "float32")


@pytest.mark.parametrize("shape", [[None, None, 4], [3, 2, 4]])
def test_masked_product_is_that_of_the_rows_that_count(shape: list[int | None]) -> None:
    random = np.random.default_rng(3)
    inputs = tf.constant(random.normal(size=[3, 2, 4]))
    kernel = tf.constant(random.normal(size=[4, 5]))
    mask = np.array([[1, 1], [0, 1], [0, 0]], bool)
    specification = tf.TensorSpec(shape, tf.float64)

    @tf.function(input_signature=[specification])
    def run(inputs: tf.Tensor) -> tuple[tf.Tensor, list[tf.Tensor]]:
        with tf.GradientTape() as tape:
            tape.watch([inputs, kernel])
            outputs = masked_product(inputs, kernel, tf.constant(mask))
            counted = tf.where(mask[:, :, np.newaxis], outputs, 0)
            total = tf.reduce_sum(tf.sin(counted))
        return counted, tape.gradient(total, [inputs, kernel])

    with tf.GradientTape() as tape:
        tape.watch([inputs, kernel])
        expected = tf.tensordot(inputs, kernel, 1) * mask[:, :, np.newaxis]
        total = tf.reduce_sum(tf.sin(expected))
    gradients = tape.gradient(total, [inputs, kernel])
    assert_equal_nests(run(inputs), (expected, gradients))
    known = tf.function(masked_product).get_concrete_function(
        specification, kernel, tf.constant(mask)
    )
    assert known.output_shapes.as_list() == [*shape[:2], 5]


def test_rows_that_do_not_count_are_not_read_where_sizes_vary() -> None:
    inputs = np.array([[[1.0]], [[np.nan]]])
    mask = np.array([[True], [False]])
    run = tf.function(
        masked_product,
        input_signature=[
            tf.TensorSpec([None, None, 1], tf.float64),
            tf.TensorSpec([1, 1], tf.float64),
            tf.TensorSpec([None, None], tf.bool),
        ],
    )
    assert np.isfinite(run(inputs, [[2.0]], mask)).all()


def test_no_mask_means_that_all_rows_count() -> None:
    inputs, kernel = tf.ones([2, 3, 4]), tf.ones([4, 5])
    found = masked_product(inputs, kernel, None)
    np.testing.assert_array_equal(found, product(inputs, kernel))
