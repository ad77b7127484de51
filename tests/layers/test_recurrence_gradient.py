import numpy as np
import pytest
import tensorflow as tf

from tests.layers import loops
from tests.layers.cases import assert_equal_nests, weighted_total
from tests.reference.differences import assert_gradient, numeric_gradient

NAMES = (
    "products",
    "U",
    "start",
    "annotations",
    "keys",
    "W_a",
    "v_a",
    "context kernel",
)


@pytest.mark.parametrize("cell", loops.CELLS)
@pytest.mark.parametrize("attends", [False, True])
def test_gradients_equal_central_differences(attends: bool, cell: str) -> None:
    problem = loops.make_problem(cell, attends=attends, mask="holes", drops=True)

    @tf.function
    def total(*tensors: tf.Tensor) -> tf.Tensor:
        return weighted_total(loops.quick(problem, list(tensors)))

    _, gradients = loops.outputs_and_gradients(loops.quick, problem)
    for index, array in enumerate(problem.tensors):
        measured = numeric_gradient(
            lambda: float(total(*map(tf.constant, problem.tensors))),
            array,
            sample=6,
            seed=index,
        )
        assert_gradient(gradients[index].numpy(), measured, what=f"tensor {index}")


@pytest.mark.parametrize("part", ["hidden", "state", "contexts", "alignments"])
def test_each_output_alone_has_its_gradient(part: str) -> None:
    problem = loops.make_problem("lstm", attends=True, mask="right_padded")

    def gradients(loop: object) -> list[tf.Tensor]:
        tensors = [tf.constant(array) for array in problem.tensors]
        with tf.GradientTape() as tape:
            tape.watch(tensors)
            total = weighted_total(getattr(loop(problem, tensors), part))
        return tape.gradient(
            total, tensors, unconnected_gradients=tf.UnconnectedGradients.ZERO
        )

    assert_equal_nests(gradients(loops.quick), gradients(loops.plain))


@pytest.mark.parametrize(("cell", "units"), [("lstm", 128), ("gru", 512)])
def test_padded_columns_change_nothing(cell: str, units: int) -> None:
    problem = loops.make_problem(cell, attends=True, mask="right_padded", units=units)
    results = [
        loops.outputs_and_gradients(loop, problem)
        for loop in (loops.quick, loops.plain)
    ]
    assert_equal_nests(*results)


def test_gradients_are_finite_where_nothing_is_to_be_attended_to() -> None:
    problem = loops.make_problem("gru", attends=True)
    problem.memory_mask[:] = False
    _, gradients = loops.outputs_and_gradients(loops.quick, problem)
    assert all(np.isfinite(gradient).all() for gradient in gradients)
    # Annotations, keys, W_a, v_a and what multiplies the context of zero.
    for gradient in gradients[3:]:
        np.testing.assert_array_equal(gradient, 0)


def test_second_derivatives_equal_those_of_single_steps() -> None:
    problem = loops.make_problem("gru", attends=True, mask="holes")

    def second(loop: object) -> list[tf.Tensor]:
        tensors = [tf.constant(array) for array in problem.tensors]
        with tf.GradientTape() as outer:
            outer.watch(tensors)
            with tf.GradientTape() as inner:
                inner.watch(tensors)
                total = weighted_total(loop(problem, tensors))
            steepness = weighted_total(inner.gradient(total, tensors))
        return outer.gradient(steepness, tensors)

    assert_equal_nests(second(loops.quick), second(loops.plain))
