"""Less memory for more time: what a gradient needs is computed when it is needed."""

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

Function = Callable[..., Sequence[tf.Tensor]]


def recomputed(
    functions: Sequence[Function],
) -> Callable[[Sequence[Sequence[tf.Tensor]]], list[Any]]:
    """Runs functions one after the other, with the memory of one of them.

    Left to itself a graph runs all that can run, and all that a gradient will need is
    in memory until then. Here each function waits for the one before it, and only its
    inputs and outputs are kept; the gradients are taken in the reverse order, each when
    the one before it is done, and each runs its function once more. But the last one
    has the first gradient, right after it: what it computed is kept.

    Args:
        functions: Each from float tensors, all of which it is differentiable in, to
            float tensors. They read no variables, and compute the same at every call.

    Returns:
        A function from the inputs of each of them to the outputs of each, with their
        values and gradients.

    Example:
        >>> x = tf.constant(3.0)
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     run = recomputed([lambda x: [x**2], lambda x: [2 * x]])
        ...     (y,), (z,) = run([[x], [x]])
        >>> float(y), float(z), float(tape.gradient([y, z], x))
        (9.0, 6.0, 8.0)
    """

    def run(inputs: Sequence[Sequence[tf.Tensor]]) -> list[Any]:
        outputs: list[Any] = []

        @tf.custom_gradient
        def operation(*flat: tf.Tensor) -> Any:
            given = tf.nest.pack_sequence_as(inputs, list(flat))
            outputs[:], last_gradient = _forward(functions, given)

            def gradient(*d_flat: tf.Tensor) -> list[tf.Tensor]:
                d_outputs = tf.nest.pack_sequence_as(outputs, list(d_flat))
                d_inputs = _backward(functions, given, d_outputs, last_gradient)
                return tf.nest.flatten(d_inputs)

            return tf.nest.flatten(outputs), gradient

        flat = operation(*tf.nest.flatten(inputs))
        return tf.nest.pack_sequence_as(outputs, flat)

    return run


def _forward(functions: Sequence[Function], inputs: Any) -> tuple[list[Any], Any]:
    """Returns the outputs of all, and the gradient of the last one."""
    outputs: list[Any] = []
    for number, function in enumerate(functions):
        with tf.control_dependencies(list(outputs[-1]) if outputs else []):
            # An outer tape would keep what it sees.
            own = [tf.identity(tf.stop_gradient(each)) for each in inputs[number]]
        if number + 1 < len(functions):
            outputs.append(tuple(function(*own)))
    found, last_gradient = _with_gradient(functions[-1], own)
    return [*outputs, found], last_gradient


def _backward(
    functions: Sequence[Function], inputs: Any, d_outputs: Any, last_gradient: Any
) -> list[list[tf.Tensor]]:
    """Returns the gradients for the inputs of all."""
    found = [last_gradient(d_outputs[-1])]
    for number in reversed(range(len(functions) - 1)):
        # Copies that wait for the gradient before: without them the graph's optimizer
        # would find that the same was computed already, and keep that.
        with tf.control_dependencies([*d_outputs[number], *found[0]]):
            own = [tf.identity(each) for each in inputs[number]]
        _, gradient = _with_gradient(functions[number], own)
        found.insert(0, gradient(d_outputs[number]))
    return found


def _with_gradient(
    function: Function, inputs: list[tf.Tensor]
) -> tuple[tuple[tf.Tensor, ...], Callable[..., list[tf.Tensor]]]:
    """Returns the outputs, and a function from their gradients to the inputs'."""
    # Persistent: a caller's tape may ask for the gradient again.
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(inputs)
        outputs = tuple(function(*inputs))

    def gradient(d_outputs: Sequence[tf.Tensor]) -> list[tf.Tensor]:
        return tape.gradient(
            outputs,
            inputs,
            output_gradients=list(d_outputs),
            unconnected_gradients=tf.UnconnectedGradients.ZERO,
        )

    return outputs, gradient
