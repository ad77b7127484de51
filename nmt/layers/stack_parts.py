"""What stacks of one and of both directions share."""

from collections.abc import Sequence
from typing import Any

import keras
import tensorflow as tf


def check_layers(num_layers: int, stages: Sequence[int] | None) -> None:
    """Refuses a stack without layers, or with other stages than layers.

    Raises:
        ValueError: says which.
    """
    if num_layers < 1:
        raise ValueError(f"num_layers must be at least 1, got {num_layers}")
    if stages is not None and len(stages) != num_layers:
        raise ValueError(f"stages {tuple(stages)} are not one for each layer")


def new_norm_layers(stack: Any) -> list[keras.layers.Layer]:
    """Returns one layer normalisation for each layer of a stack but the first."""
    return [
        keras.layers.LayerNormalization(
            dtype=stack.dtype_policy, name=f"layer_norm_{index}"
        )
        for index in range(1, stack.num_layers)
    ]


def cast_state(state: Any, dtype: str) -> Any:
    """Returns a layer's state in another type."""
    return type(state)(*(tf.cast(value, dtype) for value in state))
