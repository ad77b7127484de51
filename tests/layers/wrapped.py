"""Every cell that can be wrapped, and the wrapper's steps in float64 NumPy."""

from collections.abc import Callable
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from nmt.layers.attention_wrapper import AttentionWrapper
from nmt.layers.gru_stack import GRUStack
from nmt.layers.lstm_stack import LSTMStack
from tests.layers import attentions
from tests.layers.attentions import ANNOTATION, draw_weights
from tests.layers.cases import turned
from tests.reference import lstm
from tests.reference.attention_wrapper import Unrolled, unroll
from tests.reference.gru import cell as gru_cell

WIDTH, UNITS, BATCH, TARGET_LENGTH, SOURCE_LENGTH = 2, 3, 3, 4, 5
MEMORY_MASK = np.array([[1, 1, 1, 1, 1], [1, 1, 0, 0, 0], [0, 0, 0, 0, 0]], bool)

CELLS: dict[str, Callable[..., Any]] = {
    "lstm_cell": lambda **options: keras.layers.LSTMCell(UNITS, **options),
    "gru_cell": lambda **options: keras.layers.GRUCell(
        UNITS, reset_after=False, **options
    ),
    "stacked_cells": lambda **options: keras.layers.StackedRNNCells(
        [keras.layers.LSTMCell(UNITS + 1, **options), CELLS["lstm_cell"](**options)],
        dtype=options.get("dtype"),
    ),
    "lstm_stack": lambda **options: LSTMStack(UNITS, 2, **options),
    "lstm_layer": lambda **options: LSTMStack(UNITS, 1, **options),
    "gru_stack": lambda **options: GRUStack(UNITS, 2, **options),
    "gru_layer": lambda **options: GRUStack(UNITS, 1, **options),
}

# The ways to wrap a cell.
ORDERS: dict[str, dict[str, Any]] = {
    "previous": {"query": "previous"},
    "new": {"query": "new"},
    "new_attentional": {"query": "new", "attention_size": 6},
    "new_unfed": {"query": "new", "attention_size": 6, "input_feeding": False},
}


def make(
    cell: str,
    order: str,
    attention: str = "bahdanau",
    dtype: str = "float64",
    cell_options: dict[str, Any] | None = None,
    **options: Any,
) -> AttentionWrapper:
    """Returns a wrapper with random weights."""
    wrapper = AttentionWrapper(
        CELLS[cell](dtype=dtype, **(cell_options or {})),
        attentions.KINDS[attention].make(dtype=dtype),
        dtype=dtype,
        **ORDERS[order],
        **options,
    )
    wrapper.build((None, None, WIDTH), (None, None, ANNOTATION))
    draw_weights(wrapper)
    return wrapper


def batch(dtype: str = "float64") -> tuple[tf.Tensor, tf.Tensor]:
    """Returns inputs `[3, 4, WIDTH]` and annotations `[3, 5, ANNOTATION]`."""
    random = np.random.default_rng(1)
    inputs = random.normal(size=(BATCH, TARGET_LENGTH, WIDTH))
    annotations = random.normal(size=(BATCH, SOURCE_LENGTH, ANNOTATION))
    return tf.constant(inputs, dtype), tf.constant(annotations, dtype)


def memory_of(wrapper: AttentionWrapper, annotations: tf.Tensor) -> Any:
    """Returns the masked memory, with a row of padding alone."""
    return wrapper.attention.build_memory(annotations, MEMORY_MASK)


def start_of(wrapper: AttentionWrapper) -> Any:
    """Returns random first states, in the form of the cell's."""
    random = np.random.default_rng(2)
    zeros = wrapper.cell.get_initial_state(batch_size=BATCH)
    return tf.nest.map_structure(
        lambda zero: tf.constant(random.normal(size=zero.shape), zero.dtype), zeros
    )


def keras_cells(cell: Any) -> list[Any]:
    """Returns the Keras cells that have the weights, lowest first."""
    if hasattr(cell, "recurrent_layers"):
        return [layer.cell for layer in cell.recurrent_layers]
    return list(getattr(cell, "cells", [cell]))


def reference(
    wrapper: AttentionWrapper,
    attention: str,
    inputs: tf.Tensor,
    annotations: tf.Tensor,
    start: Any,
    query: str | None = None,
) -> Unrolled:
    """Returns what the wrapper has to give; `query` may be the wrong one."""
    layers = keras_cells(wrapper.cell)
    weights = [[each.numpy() for each in cell.weights] for cell in layers]
    flat = iter([np.array(each, float) for each in tf.nest.flatten(start)])
    states = [tuple(next(flat) for _ in range(_parts(cell))) for cell in layers]

    def step(x: np.ndarray, states: Any) -> tuple[np.ndarray, Any]:
        after = []
        for cell, packed, state in zip(layers, weights, states, strict=True):
            if _parts(cell) == 2:
                state = lstm.cell(x, *state, lstm.Weights(*packed))
            else:
                state = (gru_cell(x, *state, turned(packed)),)
            after.append(state)
            x = state[0]
        return x, after

    W_c = None
    if wrapper.attention_size:
        W_c = np.array(wrapper.attention_kernel, float)
    return unroll(
        step,
        lambda s: attentions.expected(
            attention, wrapper.attention, s, annotations, MEMORY_MASK
        ),
        lambda states: states[-1][0],
        np.asarray(inputs, float),
        states,
        query or wrapper.query,
        W_c,
        feed=wrapper.input_feeding,
    )


def _parts(cell: Any) -> int:
    return 2 if isinstance(cell, keras.layers.LSTMCell) else 1
