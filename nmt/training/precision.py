"""Mixed precision: the dtype of products and activations."""

import contextlib
from collections.abc import Iterator

import keras

# Keras' policies: variables are float32 in all of them.
PRECISIONS = {
    "float32": "float32",
    "bfloat16": "mixed_bfloat16",
    "float16": "mixed_float16",
}


@contextlib.contextmanager
def precision_scope(precision: str) -> Iterator[None]:
    """Makes layers that are made inside compute in a precision.

    Args:
        precision: `float32`, `bfloat16` or `float16`.

    Example:
        >>> with precision_scope("bfloat16"):
        ...     layer = keras.layers.Dense(1)
        >>> layer.compute_dtype, layer.variable_dtype
        ('bfloat16', 'float32')
    """
    former = keras.config.dtype_policy()
    keras.config.set_dtype_policy(PRECISIONS[precision])
    try:
        yield
    finally:
        keras.config.set_dtype_policy(former)
