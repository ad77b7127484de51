"""One layer of a wavefront: a chunk of steps forward, and backward."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import tensorflow as tf

from nmt.distribution import on_stage
from nmt.layers.cell_kernel import State
from nmt.layers.matrix_product import product, product_gradient
from nmt.layers.recurrence import run_steps
from nmt.layers.recurrence_gradient import gradient_of
from nmt.layers.recurrence_steps import Loop, OutputGradients, Steps


class LayerWeights(NamedTuple):
    """The weights of a layer as tensors: W, U, b, and those of its normalisation."""

    kernel: tf.Tensor
    recurrent_kernel: tf.Tensor
    bias: tf.Tensor
    norm: tuple[tf.Tensor, ...]


class ChunkTrace(NamedTuple):
    """What the backward pass of a chunk needs to know of it.

    Attributes:
        below: The outputs of the layer below, `[time, batch, width]`.
        start: The state before the chunk, `[batch, units]` each.
        states: The states after each step, `[time, batch, units]` each.
        trace: Of the cell, likewise.
    """

    below: tf.Tensor
    start: State
    states: State
    trace: tuple[tf.Tensor, ...]


class ChunkLayer(NamedTuple):
    """What a layer of the wavefront is, besides its weights.

    Attributes:
        layer: The recurrent Keras layer, `LSTM` or `GRU`.
        stage: Its device; None: whichever.
        norm: Keras' layer normalisation of what it reads; None: there is none.
        mask: bool, `[time, batch]`; True marks a valid step. None: all are valid.
        between: Dropout of what it reads, `[time or 1, batch, input]`; None: none.
        recurrent: Dropout of h, `[batch, units]`; None: none.
        residual: Whether its inputs are added to its outputs.
    """

    layer: Any
    stage: int | None
    norm: Any
    mask: tf.Tensor | None
    between: tf.Tensor | None
    recurrent: tf.Tensor | None
    residual: bool

    def weights(self) -> LayerWeights:
        """Reads the weights, on the layer's device."""
        with on_stage(self.stage):
            norm = () if self.norm is None else self.norm.trainable_variables
            tensors = tuple(tf.convert_to_tensor(each) for each in norm)
            kernel, recurrent_kernel, bias = self.layer.weight_tensors()
            return LayerWeights(kernel, recurrent_kernel, bias, tensors)

    def forward(
        self, below: tf.Tensor, start: State, weights: LayerWeights, steps: slice
    ) -> tuple[tf.Tensor, State, ChunkTrace]:
        """Runs over a chunk.

        Args:
            below: Of the chunk, `[time, batch, width]`.
            start: The state before it.
            weights: From `weights`.
            steps: Where in the sequence the chunk is.

        Returns:
            Outputs, `[time, batch, units]`, the last state, and the trace.
        """
        read = self._read(below, weights.norm, steps)
        products = product(read, weights.kernel) + weights.bias
        found, last = run_steps(self._loop(start, weights, steps), products)
        hidden = found.states[0]
        outputs = hidden + below if self.residual else hidden
        return outputs, last, ChunkTrace(below, start, found.states, found.trace)

    def backward(
        self,
        kept: ChunkTrace,
        d_outputs: tf.Tensor,
        d_last: State,
        weights: LayerWeights,
        steps: slice,
    ) -> tuple[tf.Tensor, State, LayerWeights]:
        """Differentiates `forward`.

        Args:
            kept: What it returned.
            d_outputs: Gradient of the outputs.
            d_last: Gradient of the last state.
            weights: As it was given them.
            steps: Likewise.

        Returns:
            The gradients of what is below, of the first state, and of the weights.
        """
        d_products, d_recurrent, *d_start = gradient_of(
            self._loop(kept.start, weights, steps),
            Steps(kept.states, kept.trace, ()),
            OutputGradients(d_outputs, d_last, ()),
        )
        read = self._read(kept.below, weights.norm, steps)
        d_read, d_kernel = product_gradient(read, weights.kernel, d_products)
        d_bias = tf.reduce_sum(d_products, axis=[0, 1])
        d_below, d_norm = self._read_gradient(kept.below, weights.norm, steps, d_read)
        if self.residual:
            d_below += d_outputs
        d_weights = LayerWeights(d_kernel, d_recurrent, d_bias, d_norm)
        return d_below, type(kept.start)(*d_start), d_weights

    def _loop(self, start: State, weights: LayerWeights, steps: slice) -> Loop:
        return Loop(
            self.layer.cell_kernel,
            start,
            weights.recurrent_kernel,
            None if self.mask is None else self.mask[steps][:, :, tf.newaxis],
            self.recurrent,
            None,
        )

    def _read(
        self, below: tf.Tensor, norm: Sequence[tf.Tensor], steps: slice
    ) -> tf.Tensor:
        """Returns what the layer reads of a chunk below it."""
        if self.norm is not None:
            below, _ = self.norm.stateless_call(list(norm), [], below)
        if self.between is not None:
            is_whole = self.between.shape[0] == 1
            below *= self.between if is_whole else self.between[steps]
        return below

    def _read_gradient(
        self,
        below: tf.Tensor,
        norm: tuple[tf.Tensor, ...],
        steps: slice,
        d_read: tf.Tensor,
    ) -> tuple[tf.Tensor, tuple[tf.Tensor, ...]]:
        """Returns the gradients of the chunk below and of the normalisation."""
        if self.norm is None and self.between is None:
            return d_read, ()
        with tf.GradientTape() as tape:
            tape.watch((below, *norm))
            read = self._read(below, norm, steps)
        d_below, *d_norm = tape.gradient(read, [below, *norm], d_read)
        return d_below, tuple(d_norm)


def chunk_array(
    count: tf.Tensor, like: tf.Tensor, shape: Sequence[int | None]
) -> tf.TensorArray:
    """Returns an array for `count` tensors of that shape and of the type of another."""
    # Read twice if a gradient is asked for twice; the last chunk may be shorter.
    return tf.TensorArray(
        like.dtype,
        count,
        element_shape=tf.TensorShape(shape),
        infer_shape=False,
        clear_after_read=False,
    )


def trace_arrays(
    layer: ChunkLayer, count: tf.Tensor, state: State, width: int
) -> tuple[tf.TensorArray, ...]:
    """Returns one array for each tensor of a `ChunkTrace`, in its order."""
    units, parts = state.hidden.shape[-1], len(state)
    shapes = [[None, None, width], *[[None, units]] * parts]
    shapes += [[None, None, units]] * (parts + layer.layer.cell_kernel.trace_size)
    return tuple(chunk_array(count, state.hidden, shape) for shape in shapes)


def trace_of(layer: ChunkLayer, values: Sequence[Any]) -> ChunkTrace:
    """Returns those tensors, or their arrays, as a `ChunkTrace`."""
    kind, parts = layer.layer.state_type, len(layer.layer.state_type._fields)
    below, *values = values
    start, states = kind(*values[:parts]), kind(*values[parts : 2 * parts])
    return ChunkTrace(below, start, states, tuple(values[2 * parts :]))
