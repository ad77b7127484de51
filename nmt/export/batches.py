"""Work on many rows, some at a time, inside a graph."""

from collections.abc import Callable
from typing import Any

import tensorflow as tf

# Padded tokens that a batch may have for each of the rows it may have.
_TOKENS_A_ROW = 50


def in_batches(
    function: Callable[[tf.Tensor], Any],
    lengths: tf.Tensor,
    results: Any,
    batch_size: int,
) -> Any:
    """Gives rows of about equal length to a function, and collects what it makes.

    However many rows there are, memory is that of a batch; a very long row is in a
    batch of its own.

    Args:
        function: From the places of some rows, int32, `[rows]`, to a nest of tensors
            `[rows, ...]`.
        lengths: int32, `[all rows]`; rows of length 0 are left as `results` has them.
        results: Nest of tensors `[all rows, ...]`: what the function's are put into.
        batch_size: Most rows of a batch. A batch of more than 50 padded tokens for each
            of them has fewer rows.

    Returns:
        `results` with the rows that the function made.

    Example:
        >>> lengths, start = tf.constant([3, 0, 1]), tf.constant([-1, -1, -1])
        >>> in_batches(lambda rows: 2 * rows, lengths, start, 2).numpy().tolist()
        [0, -1, 4]
    """
    order = tf.argsort(lengths, stable=True)
    empty = tf.math.count_nonzero(lengths <= 0, dtype=tf.int32)

    def step(first: tf.Tensor, results: Any) -> tuple[tf.Tensor, Any]:
        rows = order[first : first + batch_size]
        longest = lengths[rows[-1]]
        fit = tf.maximum(batch_size * _TOKENS_A_ROW // longest, 1)
        rows = rows[:fit]
        made = function(rows)
        results = tf.nest.map_structure(
            lambda old, new: tf.tensor_scatter_nd_update(old, rows[:, tf.newaxis], new),
            results,
            made,
        )
        return first + tf.size(rows), results

    _, results = tf.while_loop(
        lambda first, _: first < tf.size(lengths),
        step,
        (empty, results),
        parallel_iterations=1,
    )
    return results
