"""The ways in which a model's weights start."""

import dataclasses
from typing import Any

import keras
import tensorflow as tf

from nmt.errors import UserError


@keras.saving.register_keras_serializable(package="nmt")
class BlockOrthogonal(keras.initializers.Initializer):
    """Puts random orthogonal matrices side by side.

    A recurrent kernel `[hidden, gates * hidden]` is one square matrix a gate, each of
    which Bahdanau et al. (2015, appendix B.1) start orthogonal.

    Args:
        seed: None: drawn.

    Example:
        >>> kernel = BlockOrthogonal(seed=1)([2, 6])
        >>> block = kernel[:, 2:4]
        >>> bool(tf.reduce_all(abs(block @ tf.transpose(block) - tf.eye(2)) < 1e-5))
        True
    """

    def __init__(self, seed: int | None = None) -> None:
        self.seed = seed
        self._normal = keras.initializers.RandomNormal(0.0, 1.0, seed)

    def __call__(self, shape: Any, dtype: Any = None) -> tf.Tensor:
        """Returns values for `[hidden, gates * hidden]`."""
        rows, columns = shape
        normal = self._normal((columns // rows, rows, rows), "float32")
        blocks, triangles = tf.linalg.qr(normal)
        # With these signs every orthogonal matrix is as likely as any other.
        blocks *= tf.sign(tf.linalg.diag_part(triangles))[:, tf.newaxis]
        kernel = tf.reshape(tf.transpose(blocks, [1, 0, 2]), [rows, columns])
        return kernel if dtype is None else tf.cast(kernel, dtype)

    def get_config(self) -> dict[str, Any]:
        """Returns the constructor's arguments."""
        return {"seed": self.seed}


@dataclasses.dataclass(frozen=True)
class Initializers:
    """One Keras initializer for each kind of weight.

    Attributes:
        embeddings: Rows of the embedding tables.
        kernel: Input matrices, the softmax's included.
        recurrent_kernel: Matrices from one time step to the next.
        bias: Biases.
        alignment_kernel: W_a and U_a.
        energy_vector: v_a.
        unit_forget_bias: Whether Keras sets the forget gate's bias to one.
    """

    embeddings: Any
    kernel: Any
    recurrent_kernel: Any
    bias: Any
    alignment_kernel: Any
    energy_vector: Any
    unit_forget_bias: bool

    def dense(self) -> dict[str, Any]:
        """Returns the arguments of a layer with one matrix and its bias."""
        return {
            "kernel_initializer": fresh(self.kernel),
            "bias_initializer": fresh(self.bias),
        }

    def recurrent(self, cell: str) -> dict[str, Any]:
        """Returns the arguments of a recurrent layer of `lstm` or `gru` cells."""
        options = {
            **self.dense(),
            "recurrent_initializer": fresh(self.recurrent_kernel),
        }
        if cell == "lstm":
            options["unit_forget_bias"] = self.unit_forget_bias
        return options


def fresh(initializer: Any) -> Any:
    """Returns another initializer of the same kind.

    A Keras initializer object gives the same values at every call: one for each weight.
    """
    if isinstance(initializer, str) or "seed" not in initializer.get_config():
        return initializer
    config = {**initializer.get_config(), "seed": None}
    return type(initializer).from_config(config)


def make_initializers(name: str, scale: float) -> Initializers:
    """Returns the initializers called `name`.

    `uniform` draws every weight and bias from U(-scale, scale), as Sutskever et al.
    (2014, section 3.4) do with scale 0.08. Their text says "all LSTM parameters";
    embeddings and softmax are read as belonging to them.

    `bahdanau` is appendix B.1 of Bahdanau et al. (2015): recurrent matrices orthogonal,
    W_a and U_a from N(0, 0.001^2), v_a and biases zero, all others from N(0, 0.01^2).
    With so small weights nothing much happens in the first hundreds of updates of a
    small model; it is meant for the paper's sizes.

    `keras` is Glorot for input matrices, orthogonal for recurrent ones, and zero for
    biases but one at the forget gate.

    Args:
        name: `uniform`, `bahdanau` or `keras`.
        scale: Half the width of the uniform distribution.

    Raises:
        UserError: no such name.

    Example:
        >>> make_initializers("uniform", 0.08).unit_forget_bias
        False
    """
    if name == "uniform":
        draw = keras.initializers.RandomUniform(-scale, scale)
        return Initializers(
            embeddings=draw,
            kernel=fresh(draw),
            recurrent_kernel=fresh(draw),
            bias=fresh(draw),
            alignment_kernel=fresh(draw),
            energy_vector=fresh(draw),
            unit_forget_bias=False,
        )
    if name == "bahdanau":
        return Initializers(
            embeddings=keras.initializers.RandomNormal(0.0, 0.01),
            kernel=keras.initializers.RandomNormal(0.0, 0.01),
            recurrent_kernel=BlockOrthogonal(),
            bias="zeros",
            alignment_kernel=keras.initializers.RandomNormal(0.0, 0.001),
            energy_vector="zeros",
            unit_forget_bias=False,
        )
    if name == "keras":
        return Initializers(
            embeddings="uniform",
            kernel="glorot_uniform",
            recurrent_kernel="orthogonal",
            bias="zeros",
            alignment_kernel="glorot_uniform",
            energy_vector="glorot_uniform",
            unit_forget_bias=True,
        )
    raise UserError(
        f"model.initializer={name!r}: choose 'uniform' (the LSTM paper), 'bahdanau' "
        "(RNNsearch) or 'keras'"
    )
