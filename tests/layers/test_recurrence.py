import numpy as np
import pytest
import tensorflow as tf

from tests.layers import loops
from tests.layers.cases import EXECUTIONS, assert_equal_nests
from tests.tolerance import assert_close

every_cell = pytest.mark.parametrize("cell", loops.CELLS)


@every_cell
@pytest.mark.parametrize("attends", [False, True])
@pytest.mark.parametrize(
    ("mask", "drops"),
    [(None, True), ("holes", True), ("empty_row", False)],
)
def test_outputs_and_gradients_equal_those_of_single_steps(
    mask: str | None, drops: bool, attends: bool, cell: str
) -> None:
    problem = loops.make_problem(cell, attends=attends, mask=mask, drops=drops)
    outputs, gradients = loops.outputs_and_gradients(loops.quick, problem)
    expected, expected_gradients = loops.outputs_and_gradients(loops.plain, problem)
    assert_equal_nests(outputs, expected, what="output")
    assert_equal_nests(gradients, expected_gradients, what="gradient")


@pytest.mark.parametrize(("execution", "cell"), [("graph", "lstm"), ("xla", "gru")])
def test_executions_are_equal(execution: str, cell: str) -> None:
    problem = loops.make_problem(cell, attends=True, mask="holes", drops=True)
    run = EXECUTIONS[execution](
        lambda: loops.outputs_and_gradients(loops.quick, problem)
    )
    expected = loops.outputs_and_gradients(loops.quick, problem)
    assert_equal_nests(run(), expected)


@every_cell
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_every_float_type_is_near_float64(dtype: str, cell: str) -> None:
    problem = loops.make_problem(cell, attends=True, mask="holes")
    outputs, gradients = loops.outputs_and_gradients(loops.quick, problem, dtype)
    expected, expected_gradients = loops.outputs_and_gradients(loops.quick, problem)
    assert outputs.hidden.dtype == outputs.contexts.dtype == dtype
    # Energies, and with them the alignments, are never in half precision.
    assert outputs.alignments.dtype == tf.float32
    assert {gradient.dtype.name for gradient in gradients} == {dtype}
    assert_equal_nests(outputs, expected, dtype, "output")
    if dtype == "float32":
        assert_equal_nests(gradients, expected_gradients, dtype, "gradient")


def test_a_masked_step_attends_but_keeps_the_state() -> None:
    problem = loops.make_problem("gru", attends=True, mask="holes")
    outputs, _ = loops.outputs_and_gradients(loops.quick, problem)
    mask = problem.mask
    before = np.concatenate([problem.tensors[2][np.newaxis], outputs.hidden[:-1]])
    np.testing.assert_array_equal(outputs.hidden.numpy()[~mask], before[~mask])
    assert np.abs(outputs.hidden - before)[mask].min() > 0
    # The third sentence has no source.
    sums = outputs.alignments.numpy().sum(-1)
    assert_close(sums, [[1, 1, 0]] * loops.TIME, "float64")
    np.testing.assert_array_equal(outputs.contexts[:, 2], 0)


def test_memory_padding_has_no_effect_and_no_gradient() -> None:
    problem = loops.make_problem("gru", attends=True)
    outputs, gradients = loops.outputs_and_gradients(loops.quick, problem)
    padding = ~problem.memory_mask
    for array in problem.tensors[3:5]:
        array[padding] = 50.0
    other, other_gradients = loops.outputs_and_gradients(loops.quick, problem)
    assert_equal_nests(other, outputs)
    assert_equal_nests(other_gradients, gradients)
    for gradient in gradients[3:5]:
        np.testing.assert_array_equal(gradient.numpy()[padding], 0)


def test_no_attention_means_no_contexts() -> None:
    problem = loops.make_problem("lstm", attends=False)
    outputs, _ = loops.outputs_and_gradients(loops.quick, problem)
    assert outputs.contexts is None
    assert outputs.alignments is None
