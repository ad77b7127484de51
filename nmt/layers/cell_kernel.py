"""What the quick time loop asks of a cell."""

from typing import Any, NamedTuple, Protocol

import tensorflow as tf

# A named tuple of tensors `[batch, hidden]`, of which the first is `hidden`.
State = Any
# What the gradient of a step needs to know of the step, `[batch, hidden]` each.
Trace = tuple[tf.Tensor, ...]


class StepGradient(NamedTuple):
    """The gradient of one step of a cell.

    Attributes:
        product: Of W x_t + b, `[batch, gates * hidden]`.
        direct: Of U_direct h_{t-1}, `[batch, direct]`.
        visible: Of h_{t-1} by way of U_inner, `[batch, hidden]`; 0: no such way.
        state: Of the state before, by other ways than U.
    """

    product: tf.Tensor
    direct: tf.Tensor
    visible: tf.Tensor | float
    state: State


class CellKernel(Protocol):
    """The arithmetic of one step of a cell, and its gradient.

    U, the recurrent kernel, has two kinds of columns: the `direct` ones multiply the
    state that comes in, the `inner` ones, which come last, something that the step
    computes from it.

    Attributes:
        state_type: Makes a state of its parts.
        trace_size: Tensors of a trace.
        direct_gates: U has `direct_gates * hidden` direct columns.
    """

    state_type: Any
    trace_size: int
    direct_gates: int

    def step(
        self,
        product: tf.Tensor,
        direct: tf.Tensor,
        visible: tf.Tensor,
        state: State,
        inner_kernel: tf.Tensor,
    ) -> tuple[State, Trace]:
        """Advances the state.

        Args:
            product: W x_t + b, `[batch, gates * hidden]`.
            direct: U_direct h_{t-1}, `[batch, direct]`; more columns are ignored.
            visible: h_{t-1} as U sees it: after dropout.
            state: The state before.
            inner_kernel: U_inner.

        Returns:
            The next state, and the trace for `gradient`.
        """

    def gradient(
        self,
        d_state: State,
        trace: Trace,
        visible: tf.Tensor,
        state: State,
        inner_transposed: tf.Tensor,
    ) -> StepGradient:
        """Differentiates `step`; `inner_transposed` is U_inner transposed."""

    def inner_inputs(self, visible: tf.Tensor, trace: Trace) -> tf.Tensor | None:
        """Returns what U_inner multiplied at each step; None: there is no U_inner.

        Args:
            visible: h_{t-1} as U saw it, `[time, batch, hidden]`.
            trace: Of all steps, `[time, batch, hidden]` each.
        """
