"""A softmax over words with its matrix, losses and gradients, in float64 nats.

Nothing is cut here: the sharded layer is to give what the whole gives.
"""

import numpy as np

from tests.reference import softmax


def log_probs(inputs: np.ndarray, kernel: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """Returns log softmax(W t + b), `[tokens, vocabulary]`."""
    inputs, kernel, bias = (np.asarray(each, float) for each in (inputs, kernel, bias))
    return softmax.log_softmax(inputs @ kernel + bias)


def best_words(log_probs: np.ndarray, count: int) -> np.ndarray:
    """Returns the likeliest words; of equal ones the first come first."""
    return np.argsort(-log_probs, axis=-1, kind="stable")[..., :count]


def losses_and_gradients(
    inputs: np.ndarray,
    kernel: np.ndarray,
    bias: np.ndarray,
    targets: np.ndarray,
    smoothing: float,
    shares: np.ndarray,
) -> tuple[np.ndarray, ...]:
    """Losses, and the gradients of a weighted sum of them.

    Args:
        inputs: t, `[tokens, width]`.
        kernel: W, `[width, vocabulary]`.
        bias: b.
        targets: y, `[tokens]`.
        smoothing: epsilon.
        shares: `[2, tokens]`: the weights of the smoothed losses and of -log p(y).

    Returns:
        Smoothed loss and -log p(y), `[tokens]`, and d inputs, d W, d b.
    """
    inputs, kernel, bias = (np.asarray(each, float) for each in (inputs, kernel, bias))
    logits = inputs @ kernel + bias
    d_logits = sum(
        share[:, np.newaxis] * softmax.cross_entropy_backward(logits, targets, epsilon)
        for share, epsilon in zip(shares, (smoothing, 0.0), strict=True)
    )
    return (
        softmax.cross_entropy(logits, targets, smoothing),
        softmax.cross_entropy(logits, targets),
        d_logits @ kernel.T,
        inputs.T @ d_logits,
        d_logits.sum(0),
    )
