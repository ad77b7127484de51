"""The time loop in plain Python, and problems for it and the quick one."""

from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from nmt.layers.attention_step import AttentionTensors, attend
from nmt.layers.gru_kernel import GRUKernel
from nmt.layers.lstm_kernel import LSTMKernel
from nmt.layers.recurrence import Outputs, recurrence
from tests.layers.cases import mask_of, weighted_total

CELLS = {"lstm": (LSTMKernel(), 4), "gru": (GRUKernel(), 3)}
BATCH, TIME, UNITS = 3, 4, 3
SOURCE_LENGTH, ANNOTATION, ATTENTION = 5, 4, 6


class Problem(NamedTuple):
    """What a loop is given, in float64.

    Attributes:
        cell: `lstm` or `gru`.
        tensors: Products, U and the parts of the start; with attention also the
            annotations, the keys, W_a, v_a and the context's kernel.
        mask: bool, `[time, batch]`, or None.
        recurrent_mask: `[batch, units]`, or None.
        memory_mask: bool, `[batch, source_len]`; None: no attention.
    """

    cell: str
    tensors: list[np.ndarray]
    mask: np.ndarray | None
    recurrent_mask: np.ndarray | None
    memory_mask: np.ndarray | None


def make_problem(
    cell: str,
    *,
    attends: bool,
    mask: str | None = None,
    drops: bool = False,
    units: int = UNITS,
) -> Problem:
    """Returns random numbers; a row of the memory is of padding alone."""
    random = np.random.default_rng(0)
    kernel, gates = CELLS[cell]
    shapes = [(TIME, BATCH, gates * units), (units, gates * units)]
    shapes += [(BATCH, units)] * len(kernel.state_type._fields)
    memory_mask = None
    if attends:
        lengths = np.array([[SOURCE_LENGTH], [2], [0]])
        memory_mask = np.arange(SOURCE_LENGTH)[np.newaxis] < lengths
        shapes += [
            (BATCH, SOURCE_LENGTH, ANNOTATION),
            (BATCH, SOURCE_LENGTH, ATTENTION),
            (units, ATTENTION),
            (ATTENTION,),
            (ANNOTATION, gates * units),
        ]
    tensors = [random.normal(size=shape) for shape in shapes]
    tensors[1] *= units**-0.5
    return Problem(
        cell,
        tensors,
        None if mask is None else mask_of(mask).T,
        random.choice([0.0, 2.0], (BATCH, units)) if drops else None,
        memory_mask,
    )


def quick(problem: Problem, tensors: list[tf.Tensor]) -> Outputs:
    """Runs the loop under test."""
    kernel, _ = CELLS[problem.cell]
    products, recurrent_kernel, *rest = tensors
    parts = len(kernel.state_type._fields)
    return recurrence(
        kernel,
        products,
        kernel.state_type(*rest[:parts]),
        recurrent_kernel,
        *(
            None if each is None else tf.constant(each, dtype)
            for each, dtype in (
                (problem.mask, tf.bool),
                (problem.recurrent_mask, products.dtype),
            )
        ),
        _attention(problem, rest[parts:]),
    )


def plain(problem: Problem, tensors: list[tf.Tensor]) -> Outputs:
    """Runs step by step, to be differentiated by TensorFlow."""
    kernel, _ = CELLS[problem.cell]
    products, recurrent_kernel, *rest = tensors
    parts = len(kernel.state_type._fields)
    state, attention = (
        kernel.state_type(*rest[:parts]),
        _attention(problem, rest[parts:]),
    )
    split = kernel.direct_gates * recurrent_kernel.shape[0]
    direct, inner = recurrent_kernel[:, :split], recurrent_kernel[:, split:]
    written: list[tuple[tf.Tensor, ...]] = []
    for t in range(TIME):
        visible = state.hidden
        if problem.recurrent_mask is not None:
            visible *= problem.recurrent_mask
        product, attended = products[t], ()
        if attention is not None:
            attended = attend(visible @ attention.query_kernel, attention)[:2]
            product += attended[0] @ attention.context_kernel
        after, _ = kernel.step(product, visible @ direct, visible, state, inner)
        if problem.mask is not None:
            valid = problem.mask[t][:, np.newaxis]
            after = tf.nest.map_structure(
                lambda new, old, valid=valid: tf.where(valid, new, old), after, state
            )
        state = after
        written.append((state.hidden, *attended))
    hidden, *attended = (tf.stack(each) for each in zip(*written, strict=True))
    return Outputs(hidden, state, *(attended or (None, None)))


def outputs_and_gradients(
    loop: Any, problem: Problem, dtype: str = "float64"
) -> tuple[Outputs, list[tf.Tensor]]:
    """Returns what a loop gives, and the gradients of a total of all of it."""
    tensors = [tf.constant(array, dtype) for array in problem.tensors]
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        outputs = loop(problem, tensors)
        total = weighted_total(outputs)
    return outputs, tape.gradient(total, tensors)


def _attention(problem: Problem, rest: list[tf.Tensor]) -> AttentionTensors | None:
    if problem.memory_mask is None:
        return None
    annotations, keys, *weights = rest
    return AttentionTensors(
        annotations, keys, tf.constant(problem.memory_mask), *weights
    )
