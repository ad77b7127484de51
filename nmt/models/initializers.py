"""The two ways in which a model's weights start."""

import dataclasses
from typing import Any

import keras

from nmt.errors import UserError


@dataclasses.dataclass(frozen=True)
class Initializers:
    """One Keras initializer for each kind of weight.

    Attributes:
        embeddings: Rows of the embedding tables.
        kernel: Input matrices, the softmax's included.
        recurrent_kernel: Matrices from one time step to the next.
        bias: Biases.
        unit_forget_bias: Whether Keras sets the forget gate's bias to one.
    """

    embeddings: Any
    kernel: Any
    recurrent_kernel: Any
    bias: Any
    unit_forget_bias: bool


def make_initializers(name: str, scale: float) -> Initializers:
    """Returns the initializers called `name`.

    `uniform` draws every weight and bias from U(-scale, scale), as Sutskever et al.
    (2014, section 3.4) do with scale 0.08. Their text says "all LSTM parameters";
    embeddings and softmax are read as belonging to them. `keras` is Glorot for input
    matrices, orthogonal for recurrent ones, and zero for biases but one at the forget
    gate.

    Args:
        name: `uniform` or `keras`.
        scale: Half the width of the uniform distribution.

    Raises:
        UserError: no such name.

    Example:
        >>> make_initializers("uniform", 0.08).unit_forget_bias
        False
    """
    if name == "uniform":
        # One object each: a Keras initializer gives the same values at every call.
        embeddings, kernel, recurrent_kernel, bias = (
            keras.initializers.RandomUniform(-scale, scale) for _ in range(4)
        )
        return Initializers(
            embeddings, kernel, recurrent_kernel, bias, unit_forget_bias=False
        )
    if name == "keras":
        return Initializers(
            embeddings="uniform",
            kernel="glorot_uniform",
            recurrent_kernel="orthogonal",
            bias="zeros",
            unit_forget_bias=True,
        )
    raise UserError(
        f"model.initializer={name!r}: choose 'uniform' (the LSTM paper) or 'keras'"
    )
