"""Softmax and the cross-entropy with smoothed labels, in float64 nats."""

import numpy as np


def log_softmax(logits: np.ndarray) -> np.ndarray:
    return logits - np.logaddexp.reduce(logits, axis=-1, keepdims=True)


def smoothed_labels(
    targets: np.ndarray, vocabulary_size: int, smoothing: float
) -> np.ndarray:
    """q(k) of Szegedy et al. (2016), section 7, `[tokens, vocabulary]`."""
    one_hot = np.eye(vocabulary_size)[targets]
    return (1 - smoothing) * one_hot + smoothing / vocabulary_size


def cross_entropy(
    logits: np.ndarray, targets: np.ndarray, smoothing: float = 0.0
) -> np.ndarray:
    """-sum_k q(k) log p(k) of each token."""
    labels = smoothed_labels(targets, logits.shape[-1], smoothing)
    return -(labels * log_softmax(logits)).sum(-1)


def cross_entropy_backward(
    logits: np.ndarray, targets: np.ndarray, smoothing: float = 0.0
) -> np.ndarray:
    """Gradient p - q of each token's loss, `[tokens, vocabulary]`."""
    labels = smoothed_labels(targets, logits.shape[-1], smoothing)
    return np.exp(log_softmax(logits)) - labels
