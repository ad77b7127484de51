"""Work where a tensor is, or where there is room for it."""

import contextlib

import tensorflow as tf


def where_lives(tensor: tf.Tensor) -> contextlib.AbstractContextManager[None]:
    """Runs operations inside on the device of a tensor, so that it need not move.

    Only where that device was named, as `placed` does. For what needs no gradient: a
    tape does not see it.

    Example:
        >>> with where_lives(tf.constant(1.0)):
        ...     float(tf.constant(2.0) + 3.0)
        5.0
    """
    return tf.device(tensor.device)


def on_host() -> contextlib.AbstractContextManager[None]:
    """Keeps tensors made inside in the memory of this machine, not of a GPU."""
    return tf.device("CPU:0")
