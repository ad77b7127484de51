"""What runs where: operations of a function's first call, by device."""

import collections
from collections.abc import Callable
from typing import Any

import tensorflow as tf

# No public function returns the graphs that the runtime made of a function.
from tensorflow.python.eager import context


def products_by_device(
    function: Callable[..., Any], *arguments: Any, operation: str = "MatMul"
) -> dict[int, int]:
    """Counts the matrix products of a function and of all that it calls.

    Gradients and loop bodies are included. Collection is of first calls only, so that
    the function must be a fresh one, of a single signature.

    Args:
        function: A fresh `tf.function`, or one that calls fresh ones.
        *arguments: What it is called with.
        operation: Part of the name of what is counted instead.

    Returns:
        Products in the graphs by number of the CPU device; no device is left out.
    """
    context.enable_run_metadata()
    try:
        # What earlier tests left to collect.
        tf.function(lambda: tf.constant(0))()
        context.export_run_metadata()
        function(*arguments)
        graphs = context.export_run_metadata().partition_graphs
    finally:
        context.disable_run_metadata()
    found: collections.Counter = collections.Counter()
    for graph in graphs:
        bodies = [each.node_def for each in graph.library.function]
        for node in [node for nodes in (graph.node, *bodies) for node in nodes]:
            if operation in node.op:
                found[tf.DeviceSpec.from_string(node.device).device_index] += 1
    return dict(found)
