"""How the probabilities of several models become one."""

from collections.abc import Callable, Sequence

import tensorflow as tf

from nmt.layers import Logits, log_softmax

# From the models' log probabilities and their weights to the combined ones.
Combination = Callable[[Sequence[Logits], Sequence[float]], Logits]


def mean_of_probabilities(
    log_probs: Sequence[Logits], weights: Sequence[float]
) -> Logits:
    """Returns the log of the models' mean: one of them, we do not know which, is right.

        log p = log sum_m w_m p_m

    What one model gives a fair share is never ruled out by another. It is computed from
    the log probabilities, so that none is too small.

    Args:
        log_probs: log p_m, float32, nats, all of one shape, or in slices of the same
            words.
        weights: w_m, positive, that sum to one.

    Returns:
        float32, nats, of that shape. The mean of each word alone is that of the whole
        distribution, which needs no other normalisation.

    Example:
        >>> one, other = tf.math.log([0.5, 0.5]), tf.math.log([0.9, 0.1])
        >>> tf.exp(mean_of_probabilities([one, other], [0.5, 0.5])).numpy().round(3)
        array([0.7, 0.3], dtype=float32)
    """

    def mean(*shards: tf.Tensor) -> tf.Tensor:
        weighted = [
            each + tf.math.log(weight)
            for each, weight in zip(shards, weights, strict=True)
        ]
        return tf.reduce_logsumexp(tf.stack(weighted), axis=0)

    return tf.nest.map_structure(mean, *log_probs)


def log_linear(log_probs: Sequence[Logits], weights: Sequence[float]) -> Logits:
    """Returns the log of the models' geometric mean, a distribution again.

        log p(y) = sum_m w_m log p_m(y) - log sum_y' exp(sum_m w_m log p_m(y'))

    Every model has a veto: a word that one of them makes very unlikely stays unlikely.

    Args:
        log_probs: log p_m, float32, nats, `[..., vocabulary]`, or in slices of the same
            words.
        weights: w_m, positive, that sum to one.

    Returns:
        float32, nats, of that shape.

    Example:
        >>> one, other = tf.math.log([0.5, 0.5]), tf.math.log([0.9, 0.1])
        >>> tf.exp(log_linear([one, other], [0.5, 0.5])).numpy().round(3)
        array([0.75, 0.25], dtype=float32)
    """

    def total(*shards: tf.Tensor) -> tf.Tensor:
        return tf.add_n(
            [weight * each for each, weight in zip(shards, weights, strict=True)]
        )

    return log_softmax(tf.nest.map_structure(total, *log_probs))


COMBINATIONS: dict[str, Combination] = {
    "probabilities": mean_of_probabilities,
    "log_linear": log_linear,
}
