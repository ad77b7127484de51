"""By what hypotheses of different lengths and coverage are compared."""

from typing import TypeVar

import tensorflow as tf

Lengths = TypeVar("Lengths")

NORMALIZATIONS = ("wu", "mean")


def length_penalty(length: Lengths, alpha: float, normalization: str = "wu") -> Lengths:
    """Returns what a log probability is divided by, so that length costs less.

    `wu` is Wu et al. (2016, arXiv:1609.08144, eq. 14), `mean` plain averaging:

        wu:    lp(y) = ((5 + |y|) / 6)^alpha
        mean:  lp(y) = |y|

    With `wu` and alpha = 0, as in the papers of 2014, it is 1 and the score is the log
    probability. It never falls as y grows.

    Args:
        length: |y|, float: a number, an array or a tensor; the end of sentence counts.
        alpha: Not negative; `mean` does without.
        normalization: `wu` or `mean`.

    Example:
        >>> length_penalty(7.0, 1.0), length_penalty(7.0, 0.0)
        (2.0, 1.0)
        >>> length_penalty(7.0, 0.0, "mean")
        7.0
    """
    if normalization == "mean":
        return length
    return ((5.0 + length) / 6.0) ** alpha  # type: ignore[operator]


def coverage_penalty(coverage: tf.Tensor, mask: tf.Tensor) -> tf.Tensor:
    """Returns how much of the source was never looked at (Wu et al., 2016, eq. 14).

        cp(x, y) = sum_j log min(1, sum_i alpha_ij)

    over source words j and target words i: 0 where every source word got attention of
    1 in all, else negative. A sum is at least 1e-9, so that cp is finite.

    Args:
        coverage: sum_i alpha_ij, float32, `[..., source_len]`.
        mask: bool, of a shape that goes with it; True marks the words j.

    Returns:
        float32, `[...]`.

    Example:
        >>> mask = tf.constant([True, True, False])
        >>> round(float(coverage_penalty(tf.constant([1.5, 0.5, 0.0]), mask)), 3)
        -0.693
    """
    logs = tf.math.log(tf.clip_by_value(coverage, 1e-9, 1.0))
    return tf.reduce_sum(tf.where(mask, logs, 0.0), axis=-1)
