"""A stack whose layers work at the same time, each on another part of the sequence.

A layer hands on what it has computed after every chunk of some steps, so that layer l
runs over chunk c while layer l + 1 runs over chunk c - 1 (Sutskever et al., 2014,
section 3.5, hand on every step): forward from the first chunk to the last, backward
from the last to the first.

Nothing says who waits for whom: the loops below go chunk by chunk and layer by layer,
and TensorFlow runs what is not waiting for a result. In a graph it begins with the next
chunks before it has ended this one. Eager code runs in the order it is written in.

The gradient is written by hand, like that of the loops inside the chunks. Each layer
adds up the gradients of its weights over the chunks, on its own device: automatic
differentiation would add up all of them on one.
"""

from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from nmt.distribution import on_stage
from nmt.layers.cell_kernel import State
from nmt.layers.chunk_layer import (
    ChunkLayer,
    ChunkTrace,
    LayerWeights,
    chunk_array,
    trace_arrays,
    trace_of,
)
from nmt.layers.recurrence_steps import write_all
from nmt.layers.stack_masks import StackMasks
from nmt.layers.stack_parts import cast_state

# Chunks that may be at work; there are not that many layers.
_AT_ONCE = 32
_ALL = slice(None)


class Wavefront:
    """The loops over chunks of a stack.

    Args:
        layers: Lowest first.
        chunk_length: Steps of a chunk; the last one may have fewer. 0: all steps are
            one chunk, and there is no loop over chunks.
    """

    def __init__(self, layers: Sequence[ChunkLayer], chunk_length: int) -> None:
        self._layers = layers
        self._length = chunk_length

    def __call__(
        self, inputs: tf.Tensor, start: Sequence[State]
    ) -> tuple[tf.Tensor, tuple[State, ...]]:
        """Runs all layers over a batch.

        Args:
            inputs: `[batch, time, input]`, time at least 1.
            start: A state of each layer, of the type of the inputs.

        Returns:
            The top layer's outputs, `[batch, time, units]`, and the last states.
        """

        @tf.custom_gradient
        def run(inputs: tf.Tensor, *parts: tf.Tensor) -> Any:
            # Records how weights are read, and nothing else.
            with tf.GradientTape(persistent=True) as tape:
                weights = [layer.weights() for layer in self._layers]
            first = tf.nest.pack_sequence_as(start, parts)
            outputs, last, kept = self._forward(inputs, first, weights)

            def gradient(
                d_outputs: tf.Tensor, *d_last: tf.Tensor, variables: Any = None
            ) -> Any:
                d_inputs, d_start, d_weights = self._backward(
                    weights, kept, d_outputs, tf.nest.pack_sequence_as(start, d_last)
                )
                found = [d_inputs, *tf.nest.flatten(d_start)]
                if not variables:
                    return found
                return found, self._of_variables(tape, variables, weights, d_weights)

            return (outputs, *tf.nest.flatten(last)), gradient

        with on_stage(self._layers[-1].stage):
            outputs, *last = run(inputs, *tf.nest.flatten(start))
        units = start[-1].hidden.shape[-1]
        outputs = tf.ensure_shape(outputs, [*inputs.shape[:2], units])
        return outputs, tuple(tf.nest.pack_sequence_as(start, last))

    def _forward(
        self, inputs: tf.Tensor, start: Sequence[State], weights: Sequence[LayerWeights]
    ) -> tuple[tf.Tensor, Any, Any]:
        """Returns outputs, last states, and what the backward pass reads."""
        with on_stage(self._layers[0].stage):
            inputs = tf.transpose(inputs, [1, 0, 2])
        if not self._length:
            outputs, last, traces = self._upward(inputs, start, weights, _ALL)
            with on_stage(self._layers[-1].stage):
                return tf.transpose(outputs, [1, 0, 2]), last, traces
        count = -(-tf.shape(inputs)[0] // self._length)

        def chunk(c: tf.Tensor, states: Any, kept: Any, outputs: Any) -> Any:
            steps, kept = self._steps(c), list(kept)
            with on_stage(self._layers[0].stage):
                below = inputs[steps]
            below, states, traces = self._upward(below, states, weights, steps)
            for index, layer in enumerate(self._layers):
                with on_stage(layer.stage):
                    values = tf.nest.flatten(traces[index])
                    kept[index] = write_all(kept[index], c, values)
            with on_stage(self._layers[-1].stage):
                outputs = outputs.write(c, below)
            return c + 1, states, kept, outputs

        kept, width = [], inputs.shape[-1]
        for layer, state in zip(self._layers, start, strict=True):
            with on_stage(layer.stage):
                kept.append(trace_arrays(layer, count, state, width))
            width = state.hidden.shape[-1]
        with on_stage(self._layers[-1].stage):
            outputs = chunk_array(count, start[-1].hidden, [None, None, width])
        _, last, kept, outputs = tf.while_loop(
            lambda c, *_: c < count,
            chunk,
            (0, list(start), kept, outputs),
            parallel_iterations=_AT_ONCE,
            maximum_iterations=count,
        )
        with on_stage(self._layers[-1].stage):
            joined = tf.transpose(outputs.concat(), [1, 0, 2])
        return joined, last, kept

    def _backward(
        self,
        weights: Sequence[LayerWeights],
        kept: Any,
        d_outputs: tf.Tensor,
        d_last: Sequence[State],
    ) -> tuple[tf.Tensor, Any, Any]:
        """Returns the gradients of inputs, first states and weights."""
        with on_stage(self._layers[-1].stage):
            d_outputs = tf.transpose(d_outputs, [1, 0, 2])
        if not self._length:
            found = self._downward(kept, d_outputs, d_last, weights, _ALL)
            with on_stage(self._layers[0].stage):
                return tf.transpose(found[0], [1, 0, 2]), *found[1:]
        count = -(-tf.shape(d_outputs)[0] // self._length)

        def chunk(c: tf.Tensor, d_states: Any, sums: Any, d_inputs: Any) -> Any:
            steps, sums, traces = self._steps(c), list(sums), []
            for index, layer in enumerate(self._layers):
                with on_stage(layer.stage):
                    traces.append(
                        trace_of(layer, [each.read(c) for each in kept[index]])
                    )
            with on_stage(self._layers[-1].stage):
                d_above = d_outputs[steps]
            d_below, d_states, found = self._downward(
                traces, d_above, d_states, weights, steps
            )
            for index, layer in enumerate(self._layers):
                with on_stage(layer.stage):
                    pair = sums[index], found[index]
                    sums[index] = tf.nest.map_structure(tf.add, *pair)
            with on_stage(self._layers[0].stage):
                d_inputs = d_inputs.write(c, d_below)
            return c - 1, d_states, sums, d_inputs

        sums = []
        for layer, its_weights in zip(self._layers, weights, strict=True):
            with on_stage(layer.stage):
                sums.append(tf.nest.map_structure(tf.zeros_like, its_weights))
        with on_stage(self._layers[0].stage):
            width = weights[0].kernel.shape[0]
            d_inputs = chunk_array(count, d_last[0].hidden, [None, None, width])
        _, d_start, sums, d_inputs = tf.while_loop(
            lambda c, *_: c >= 0,
            chunk,
            (count - 1, list(d_last), sums, d_inputs),
            parallel_iterations=_AT_ONCE,
            maximum_iterations=count,
        )
        with on_stage(self._layers[0].stage):
            return tf.transpose(d_inputs.concat(), [1, 0, 2]), d_start, sums

    def _upward(
        self,
        below: tf.Tensor,
        states: Sequence[State],
        weights: Sequence[LayerWeights],
        steps: slice,
    ) -> tuple[tf.Tensor, list[State], list[ChunkTrace]]:
        """Runs one chunk through all layers: outputs, states, traces."""
        last, traces = [], []
        for layer, state, its_weights in zip(
            self._layers, states, weights, strict=True
        ):
            with on_stage(layer.stage):
                below, state, trace = layer.forward(below, state, its_weights, steps)
            last.append(state)
            traces.append(trace)
        return below, last, traces

    def _downward(
        self,
        traces: Sequence[ChunkTrace],
        d_above: tf.Tensor,
        d_states: Sequence[State],
        weights: Sequence[LayerWeights],
        steps: slice,
    ) -> tuple[tf.Tensor, list[State], list[LayerWeights]]:
        """Returns the gradients of a chunk: what is below, states, weights."""
        d_start, d_weights = list(d_states), list(weights)
        for index in reversed(range(len(self._layers))):
            layer = self._layers[index]
            with on_stage(layer.stage):
                d_above, d_start[index], d_weights[index] = layer.backward(
                    traces[index], d_above, d_states[index], weights[index], steps
                )
        return d_above, d_start, d_weights

    def _steps(self, c: tf.Tensor) -> slice:
        """Returns where chunk c is in the sequence."""
        return slice(c * self._length, (c + 1) * self._length)

    def _of_variables(
        self,
        tape: tf.GradientTape,
        variables: Sequence[tf.Variable],
        weights: Sequence[LayerWeights],
        d_weights: Sequence[LayerWeights],
    ) -> list[Any]:
        """Returns the gradients of variables, each on the device of its layer."""
        gradients: list[Any] = [None] * len(variables)
        for layer, its_weights, found in zip(
            self._layers, weights, d_weights, strict=True
        ):
            with on_stage(layer.stage):
                own = tape.gradient(
                    tf.nest.flatten(its_weights), variables, tf.nest.flatten(found)
                )
            pairs = zip(gradients, own, strict=True)
            gradients = [old if new is None else new for old, new in pairs]
        return gradients


def run_in_chunks(
    stack: Any,
    inputs: tf.Tensor,
    start: Sequence[State],
    mask: tf.Tensor | None,
    masks: StackMasks | None,
) -> tuple[tf.Tensor, tuple[State, ...]]:
    """Runs a `RecurrentStack` as a wavefront.

    Args:
        stack: The stack, with a `chunk_length`.
        inputs: `[batch, time, input]`, time at least 1.
        start: A state of each layer, in the compute type.
        mask: bool, `[batch, time]`; True marks a valid step. None: all are valid.
        masks: Dropout; None: none.

    Returns:
        Outputs and last states, as the stack's.
    """
    wavefront = Wavefront(_chunk_layers(stack, mask, masks), stack.chunk_length)
    outputs, last = wavefront(tf.cast(inputs, stack.compute_dtype), start)
    return outputs, tuple(cast_state(each, stack.variable_dtype) for each in last)


def _chunk_layers(
    stack: Any, mask: tf.Tensor | None, masks: StackMasks | None
) -> list[ChunkLayer]:
    step_mask = None if mask is None else tf.transpose(mask)
    layers = []
    for index, layer in enumerate(stack.recurrent_layers):
        between = recurrent = None
        with on_stage(stack.stage(index)):
            if masks is not None and index:
                between = tf.transpose(masks.between[index - 1], [1, 0, 2])
            if masks is not None and masks.recurrent:
                recurrent = masks.recurrent[index]
        layers.append(
            ChunkLayer(
                layer=layer,
                stage=stack.stage(index),
                norm=stack.norm_layers[index - 1]
                if index and stack.norm_layers
                else None,
                mask=step_mask,
                between=between,
                recurrent=recurrent,
                residual=bool(index and stack.residual),
            )
        )
    return layers
