"""Products with a weight matrix, quick on CPUs where TensorFlow's own are slow."""

from typing import Any

import tensorflow as tf


def pad_columns(weight: tf.Tensor) -> tf.Tensor:
    """Appends 32 columns of zeros where the row length slows matrix products down.

    TensorFlow multiplies a batch by a matrix at about half speed on CPUs when the
    matrix' rows lie a multiple of 2 KiB apart.

    Args:
        weight: `[rows, columns]` or `[columns]`.

    Returns:
        `[..., columns + 32]` if `columns` is a multiple of 512, else `weight` itself.
    """
    if weight.shape[-1] % 512:
        return weight
    return tf.pad(weight, [[0, 0]] * (weight.shape.rank - 1) + [[0, 32]])


@tf.custom_gradient
def product(inputs: tf.Tensor, kernel: tf.Tensor) -> tuple[tf.Tensor, Any]:
    """Returns W x for every row x: `tf.matmul`, with its strides and gradients tuned.

    Args:
        inputs: `[..., input]`.
        kernel: W, `[input, output]`; a tensor, no variable.

    Returns:
        `[..., output]`.
    """
    width = kernel.shape[-1]
    rows = tf.reshape(inputs, [-1, inputs.shape[-1]])
    shape = tf.concat([tf.shape(inputs)[:-1], [width]], axis=0)

    def gradient(d_outputs: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        return product_gradient(inputs, kernel, d_outputs)

    outputs = tf.matmul(rows, pad_columns(kernel))[:, :width]
    outputs = tf.reshape(outputs, shape)
    return tf.ensure_shape(outputs, [*inputs.shape[:-1], width]), gradient


def product_gradient(
    inputs: tf.Tensor, kernel: tf.Tensor, d_outputs: tf.Tensor
) -> tuple[tf.Tensor, tf.Tensor]:
    """Returns the gradients of the inputs and of the kernel of a `product`.

    Args:
        inputs: `[..., input]`.
        kernel: W, `[input, output]`.
        d_outputs: `[..., output]`.
    """
    rows = tf.reshape(inputs, [-1, inputs.shape[-1]])
    d_rows = tf.reshape(d_outputs, [-1, kernel.shape[1]])
    # A transposed copy is cheaper than a product that transposes.
    transposed = pad_columns(tf.transpose(kernel))
    d_inputs = tf.matmul(d_rows, transposed)[:, : kernel.shape[0]]
    return (
        tf.reshape(d_inputs, tf.shape(inputs)),
        tf.matmul(rows, d_rows, transpose_a=True),
    )


def masked_product(
    inputs: tf.Tensor, kernel: tf.Tensor, mask: tf.Tensor | None
) -> tf.Tensor:
    """Returns W x for the rows that count, and leaves the others out of the work.

    Args:
        inputs: `[time, batch, input]`.
        kernel: W, `[input, output]`; a tensor, no variable.
        mask: bool, `[time, batch]`; True marks a row that counts. None: all do.

    Returns:
        `[time, batch, output]`; what is in the other rows means nothing. If the shape
        of the inputs is known beforehand, which XLA needs, no row is left out.
    """
    if mask is None or inputs.shape.is_fully_defined():
        return product(inputs, kernel)
    places = tf.where(mask)
    outputs = product(tf.gather_nd(inputs, places), kernel)
    shape = tf.concat([tf.shape(inputs)[:-1], [kernel.shape[-1]]], axis=0)
    outputs = tf.scatter_nd(places, outputs, tf.cast(shape, places.dtype))
    return tf.ensure_shape(outputs, [*inputs.shape[:-1], kernel.shape[-1]])
