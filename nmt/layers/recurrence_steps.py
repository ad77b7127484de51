"""What the forward and the backward loop of `recurrence` share."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import tensorflow as tf

from nmt.layers.attention_step import AttentionTensors
from nmt.layers.cell_kernel import CellKernel, State, Trace
from nmt.layers.matrix_product import pad_columns


class Loop(NamedTuple):
    """What is the same at every step; see `recurrence`."""

    cell: CellKernel
    start: State
    recurrent_kernel: tf.Tensor
    mask: tf.Tensor | None
    recurrent_mask: tf.Tensor | None
    attention: AttentionTensors | None

    @property
    def query_size(self) -> int:
        """Width of W_a s; 0 without attention."""
        return 0 if self.attention is None else self.attention.query_kernel.shape[1]

    def visible(self, hidden: tf.Tensor) -> tf.Tensor:
        """Returns h as a step reads it: after dropout."""
        return hidden if self.recurrent_mask is None else hidden * self.recurrent_mask

    def kernels(self) -> tuple[tf.Tensor, tf.Tensor]:
        """Returns [W_a U_direct] and U_inner."""
        kernel = self.recurrent_kernel
        direct_size = self.cell.direct_gates * kernel.shape[0]
        direct, inner = kernel[:, :direct_size], kernel[:, direct_size:]
        if self.attention is not None:
            direct = tf.concat([self.attention.query_kernel, direct], axis=1)
        return direct, inner


class Steps(NamedTuple):
    """What the forward loop wrote down, `[time, batch, ...]` each.

    These are tensors, although only the backward loop reads most of them and arrays
    would save two copies: a SavedModel cannot hold a gradient that needs arrays.

    Attributes:
        states: After each step.
        trace: Of the cell.
        attended: Queries W_a s_{i-1}, contexts c_i and alignments alpha_i; empty
            without attention.
    """

    states: State
    trace: Trace
    attended: Sequence[tf.Tensor]


class OutputGradients(NamedTuple):
    """Gradients of what the loop returns.

    Attributes:
        hidden: Of all hidden states, `[time, batch, hidden]`.
        last: Of the last state.
        attended: Of contexts and alignments; empty without attention.
    """

    hidden: tf.Tensor
    last: State
    attended: Sequence[tf.Tensor]


def reader(values: tf.Tensor) -> Callable[[tf.Tensor], tf.Tensor]:
    """Returns the function t -> values[t] for a loop over the first axis."""
    array = tf.TensorArray(
        values.dtype, tf.shape(values)[0], element_shape=values.shape[1:]
    )
    return array.unstack(values).read


def readers(
    values: Sequence[tf.Tensor],
) -> Callable[[tf.Tensor], tuple[tf.Tensor, ...]]:
    """Returns the same for several tensors at once."""
    functions = [reader(each) for each in values]
    return lambda t: tuple(function(t) for function in functions)


def new_array(
    size: tf.Tensor, like: tf.Tensor, width: int | None = None
) -> tf.TensorArray:
    """Returns an empty array of `size` elements `[batch, ..., width]` like `like`.

    Args:
        size: Elements.
        like: `[batch, ...]`.
        width: None: that of `like`.
    """
    shape = like.shape if width is None else [*like.shape[:-1], width]
    return tf.TensorArray(like.dtype, size, element_shape=shape)


def write_all(
    arrays: Sequence[tf.TensorArray], t: tf.Tensor, values: Sequence[tf.Tensor]
) -> tuple[tf.TensorArray, ...]:
    """Writes one value into each array."""
    return tuple(
        array.write(t, value) for array, value in zip(arrays, values, strict=True)
    )


def transposed(kernel: tf.Tensor) -> tf.Tensor:
    """Returns a copy of the transposed kernel, for products in a loop."""
    return pad_columns(tf.transpose(kernel))


def time_first(
    inputs: tf.Tensor, mask: tf.Tensor | None
) -> tuple[tf.Tensor, tf.Tensor | None]:
    """Returns inputs, `[time, batch, input]`, and mask, `[time, batch]`, for a loop.

    Args:
        inputs: `[batch, time, input]`.
        mask: `[batch, time]`, True marks a valid step; None: all are valid.
    """
    if mask is not None:
        mask = tf.transpose(tf.cast(mask, tf.bool))
    return tf.transpose(inputs, [1, 0, 2]), mask
