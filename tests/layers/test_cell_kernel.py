"""What the quick loop asks of a cell, of every cell that there is."""

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from nmt.layers.cell_kernel import CellKernel
from nmt.layers.gru_cell import GRUWeights, gru_step
from nmt.layers.gru_kernel import GRUKernel
from nmt.layers.lstm_cell import LSTMWeights, lstm_step
from nmt.layers.lstm_kernel import LSTMKernel
from tests.layers.cases import assert_equal_nests, weighted_total

UNITS = 3
KERNELS: dict[str, tuple[CellKernel, int]] = {
    "lstm": (LSTMKernel(), 4),
    "gru": (GRUKernel(), 3),
}
every_kernel = pytest.mark.parametrize("name", KERNELS)


class Step:
    """One step of a kernel, on random numbers."""

    def __init__(self, name: str) -> None:
        self.kernel, self.gates = KERNELS[name]
        random = np.random.default_rng(0)

        def draw(*shape: int) -> tf.Tensor:
            return tf.constant(random.normal(size=shape))

        self.product = draw(2, self.gates * UNITS)
        parts = len(self.kernel.state_type._fields)
        self.state = self.kernel.state_type(*(draw(2, UNITS) for _ in range(parts)))
        self.visible = self.state.hidden * draw(2, UNITS)
        self.recurrent_kernel = draw(UNITS, self.gates * UNITS)

    @property
    def kernels(self) -> tuple[tf.Tensor, tf.Tensor]:
        direct = self.kernel.direct_gates * UNITS
        return self.recurrent_kernel[:, :direct], self.recurrent_kernel[:, direct:]

    def run(self, *tensors: Any) -> tuple[Any, Any]:
        product, direct, visible, *state = tensors
        state = self.kernel.state_type(*state)
        return self.kernel.step(product, direct, visible, state, self.kernels[1])

    def tensors(self) -> list[tf.Tensor]:
        direct = self.visible @ self.kernels[0]
        return [self.product, direct, self.visible, *self.state]


@every_kernel
def test_state_and_trace_have_the_promised_form(name: str) -> None:
    step = Step(name)
    state, trace = step.run(*step.tensors())
    assert type(state) is step.kernel.state_type
    assert state._fields[0] == "hidden"
    assert [value.shape for value in trace] == [[2, UNITS]] * step.kernel.trace_size
    assert step.recurrent_kernel.shape[1] >= step.kernel.direct_gates * UNITS


@every_kernel
def test_step_is_that_of_the_equations(name: str) -> None:
    step = Step(name)
    step.visible = step.state.hidden
    weights_type, advance = {
        "lstm": (LSTMWeights, lstm_step),
        "gru": (GRUWeights, gru_step),
    }[name]
    # The product is given: as a bias, with inputs of zero.
    nothing = tf.zeros([1, step.product.shape[1]], tf.float64)
    for row in range(2):
        weights = weights_type(nothing, step.recurrent_kernel, step.product[row])
        before = type(step.state)(*(part[row : row + 1] for part in step.state))
        expected = advance(tf.zeros([1, 1], tf.float64), before, weights)
        state, _ = step.run(*(each[row : row + 1] for each in step.tensors()))
        assert_equal_nests(state, expected)


@every_kernel
def test_more_direct_columns_are_ignored(name: str) -> None:
    step = Step(name)
    product, direct, *rest = step.tensors()
    wider = tf.pad(direct, [[0, 0], [0, 32]], constant_values=9)
    assert_equal_nests(
        step.run(product, wider, *rest), step.run(product, direct, *rest)
    )


@every_kernel
def test_gradient_is_that_of_automatic_differentiation(name: str) -> None:
    step = Step(name)
    tensors = step.tensors()
    inner_kernel = step.kernels[1]
    with tf.GradientTape() as tape:
        tape.watch([*tensors, inner_kernel])
        product, direct, visible, *parts = tensors
        before = step.kernel.state_type(*parts)
        state, trace = step.kernel.step(product, direct, visible, before, inner_kernel)
        total = weighted_total(state)
    d_state = step.kernel.state_type(
        *(
            tf.reshape(tf.cos(tf.range(2.0 * UNITS, dtype=tf.float64)), [2, UNITS])
            for _ in state
        )
    )
    *expected, d_inner = tape.gradient(
        total,
        [*tensors, inner_kernel],
        unconnected_gradients=tf.UnconnectedGradients.ZERO,
    )
    found = step.kernel.gradient(
        d_state, trace, step.visible, step.state, tf.transpose(inner_kernel)
    )
    visible = found.visible + tf.zeros_like(step.visible)
    assert_equal_nests([found.product, found.direct, visible, *found.state], expected)
    inner = step.kernel.inner_inputs(step.visible, trace)
    if inner is None:
        assert inner_kernel.shape[1] == 0
    else:
        columns = found.product[:, step.kernel.direct_gates * UNITS :]
        assert_equal_nests(tf.transpose(inner) @ columns, d_inner)
