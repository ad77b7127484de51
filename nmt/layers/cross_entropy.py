"""The training loss of a target token."""

from typing import Any

import tensorflow as tf


def token_cross_entropy(
    logits: tf.Tensor, targets: tf.Tensor, label_smoothing: float = 0.0
) -> tf.Tensor:
    """Returns the smoothed negative log-probability of each target token.

    With p = softmax(z), V words, target y and smoothing epsilon (Szegedy et al., 2016,
    arXiv:1512.00567, section 7):

        q(k) = (1 - epsilon) [k = y] + epsilon / V
        loss = -sum_k q(k) log p(k)
             = (1 - epsilon) (logsumexp(z) - z_y) + epsilon (logsumexp(z) - mean(z))

    With epsilon = 0, as in the papers, it is -log p(y). It is computed in float32,
    whatever the type of the logits.

    Args:
        logits: z, float, `[tokens, vocabulary]`.
        targets: y, integer, `[tokens]`, each in `[0, vocabulary)`.
        label_smoothing: epsilon, in `[0, 1)`.

    Returns:
        float32, nats, `[tokens]`.

    Example:
        >>> loss = token_cross_entropy(tf.zeros([1, 4]), tf.constant([2]))
        >>> round(float(loss[0]), 4)  # ln 4
        1.3863
    """
    return token_losses(logits, targets, label_smoothing)[0]


def token_losses(
    logits: tf.Tensor, targets: tf.Tensor, label_smoothing: float = 0.0
) -> tuple[tf.Tensor, tf.Tensor]:
    """Returns `token_cross_entropy` with and without smoothing, from one softmax.

    Args:
        logits: z, float, `[tokens, vocabulary]`.
        targets: y, integer, `[tokens]`, each in `[0, vocabulary)`.
        label_smoothing: epsilon, in `[0, 1)`.

    Returns:
        The smoothed loss and -log p(y), float32, nats, `[tokens]` each.
    """
    return _losses(tf.cast(logits, tf.float32), targets, label_smoothing)


def _losses(
    logits: tf.Tensor, targets: tf.Tensor, label_smoothing: float
) -> tuple[tf.Tensor, tf.Tensor]:
    @tf.custom_gradient
    def losses(logits: tf.Tensor) -> tuple[tuple[tf.Tensor, tf.Tensor], Any]:
        # The operation gives p - [k = y], the gradient, along with the loss.
        nats, steepness = tf.raw_ops.SparseSoftmaxCrossEntropyWithLogits(
            features=logits, labels=targets
        )
        loss = nats
        if label_smoothing:
            # The formula above with logsumexp(z) taken from `nats`.
            of_target = tf.gather(logits, targets, batch_dims=1)
            loss += label_smoothing * (of_target - tf.reduce_mean(logits, axis=-1))

        def gradient(d_loss: tf.Tensor, d_nats: tf.Tensor) -> tf.Tensor:
            both = (d_loss + d_nats)[:, tf.newaxis]
            if not label_smoothing:
                return both * steepness
            smoothing = label_smoothing * d_loss
            even = smoothing[:, tf.newaxis] / tf.cast(tf.shape(logits)[1], tf.float32)
            rows = tf.range(tf.shape(logits)[0], dtype=targets.dtype)
            places = tf.stack([rows, targets], axis=1)
            # Spread out by automatic differentiation, the two parts of the smoothing
            # would each be as large as the logits.
            return tf.tensor_scatter_nd_add(both * steepness - even, places, smoothing)

        return (loss, nats), gradient

    return losses(logits)
