"""Less memory for more time: what a gradient needs is computed when it is needed."""

import contextlib
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf


class Turns:
    """Lets functions of a graph run one after the other, and their gradients too.

    Left to itself, a graph runs all that can run, and has what all of it computes on
    the way in memory at the same time.
    """

    def __init__(self) -> None:
        self._last: dict[str, list[tf.Tensor]] = {}

    @contextlib.contextmanager
    def after_the_last(self, kind: str, also: Sequence[tf.Tensor] = ()) -> Any:
        """Makes operations inside wait for the last results of a kind, and others.

        Args:
            kind: `forward` or `backward`.
            also: What else they wait for.
        """
        graph = None if tf.executing_eagerly() else tf.compat.v1.get_default_graph()
        # Gradients may be in a graph of their own, and in several.
        last = [each for each in self._last.get(kind, ()) if _is_in(each, graph)]
        with tf.control_dependencies([*also, *last]):
            yield

    def set_last(self, kind: str, results: Sequence[Any]) -> None:
        """Says what the next function of a kind waits for."""
        self._last[kind] = [each for each in results if each is not None]


def recomputed(
    function: Callable[..., Sequence[tf.Tensor]],
    turns: Turns | None = None,
    keep: bool = False,
) -> Callable[..., tuple[tf.Tensor, ...]]:
    """Makes a function keep only its inputs and outputs until its gradient is taken.

    The gradient runs the function once more, and no sooner: until then nothing of what
    it computes on the way is in memory.

    Args:
        function: From float tensors, all of which it is differentiable in, to float
            tensors. It reads no variable, and computes the same at every call.
        turns: Shared by functions that should not run at the same time; None: it may
            run when it can.
        keep: Whether what it computes is kept all the same: of functions that take
            turns, the last one has the first gradient, right after it.

    Returns:
        The function, with the same values and gradients.

    Example:
        >>> x = tf.constant(3.0)
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     (y,) = recomputed(lambda x: [x**2])(x)
        >>> float(y), float(tape.gradient(y, x))
        (9.0, 6.0)
    """
    turns = turns or Turns()

    @tf.custom_gradient
    def run(*inputs: tf.Tensor) -> tuple[tuple[tf.Tensor, ...], Any]:
        with turns.after_the_last("forward"):
            # An outer tape would keep what it sees.
            own = [tf.identity(tf.stop_gradient(each)) for each in inputs]
        kept = _with_gradient(function, own) if keep else None
        outputs = kept[0] if kept else tuple(function(*own))
        turns.set_last("forward", outputs)

        def gradient(*d_outputs: tf.Tensor) -> list[tf.Tensor]:
            if kept:
                d_inputs = kept[1](d_outputs)
            else:
                # Copies that wait for the gradient: otherwise the graph's optimizer
                # finds that the same was computed before, and keeps that.
                with turns.after_the_last("backward", d_outputs):
                    copies = [tf.identity(each) for each in inputs]
                d_inputs = _with_gradient(function, copies)[1](d_outputs)
            turns.set_last("backward", d_inputs)
            return d_inputs

        return outputs, gradient

    return run


def _with_gradient(
    function: Callable[..., Sequence[tf.Tensor]], inputs: list[tf.Tensor]
) -> tuple[tuple[tf.Tensor, ...], Callable[..., list[tf.Tensor]]]:
    """Returns the outputs, and a function from their gradients to the inputs'."""
    # Persistent: a caller's tape may ask for the gradient again.
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(inputs)
        outputs = tuple(function(*inputs))

    def differentiate(d_outputs: Sequence[tf.Tensor]) -> list[tf.Tensor]:
        return tape.gradient(
            outputs,
            inputs,
            output_gradients=list(d_outputs),
            unconnected_gradients=tf.UnconnectedGradients.ZERO,
        )

    return outputs, differentiate


def _is_in(tensor: tf.Tensor, graph: Any) -> bool:
    return graph is not None and getattr(tensor, "graph", None) is graph
