"""The training loss of a target token."""

import tensorflow as tf


def token_cross_entropy(
    logits: tf.Tensor, targets: tf.Tensor, label_smoothing: float = 0.0
) -> tf.Tensor:
    """Returns the smoothed negative log-probability of each target token.

    With p = softmax(z), V words and smoothing epsilon (Szegedy et al., 2016,
    arXiv:1512.00567, section 7):

        q(k) = (1 - epsilon) [k = y] + epsilon / V
        loss = -sum_k q(k) log p(k)
             = (1 - epsilon) (log sum_k exp z_k - z_y)
               + epsilon (log sum_k exp z_k - mean_k z_k)

    With epsilon = 0, as in the papers, it is -log p(y). Computed in float32 whatever the
    type of the logits.

    Args:
        logits: z, `[tokens, vocabulary]`.
        targets: y, integer, `[tokens]`; each in `[0, vocabulary)`.
        label_smoothing: epsilon, in `[0, 1)`.

    Returns:
        float32, nats, `[tokens]`.

    Example:
        >>> float(token_cross_entropy(tf.zeros([1, 4]), tf.constant([2]))[0]) == np.log(4)
        True
    """
    logits = tf.cast(logits, tf.float32)
    nats = tf.nn.sparse_softmax_cross_entropy_with_logits(targets, logits)
    if not label_smoothing:
        return nats
    uniform = tf.reduce_logsumexp(logits, axis=-1) - tf.reduce_mean(logits, axis=-1)
    return (1 - label_smoothing) * nats + label_smoothing * uniform
