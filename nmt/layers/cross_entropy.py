"""The training loss of a target token."""

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
    logits = tf.cast(logits, tf.float32)
    nats = tf.nn.sparse_softmax_cross_entropy_with_logits(targets, logits)
    if not label_smoothing:
        return nats
    # The formula above with logsumexp(z) taken from `nats`: one softmax, not two.
    target_logits = tf.gather(logits, targets, batch_dims=1)
    return nats + label_smoothing * (target_logits - tf.reduce_mean(logits, axis=-1))
