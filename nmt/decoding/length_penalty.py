"""What a hypothesis' log probability is divided by, so that length costs less."""

from typing import TypeVar

Lengths = TypeVar("Lengths")


def length_penalty(length: Lengths, alpha: float) -> Lengths:
    """Returns the divisor of Wu et al. (2016, arXiv:1609.08144, eq. 14).

        lp(y) = ((5 + |y|) / 6)^alpha,  score(y, x) = log p(y | x) / lp(y)

    With alpha = 0, as in the papers of 2014, it is 1 and the score is the log
    probability; with alpha = 1 the score is nearly the mean over the tokens.

    Args:
        length: |y|, float: a number, an array or a tensor; the end of sentence counts.
        alpha: Not negative.

    Example:
        >>> length_penalty(7.0, 1.0), length_penalty(7.0, 0.0)
        (2.0, 1.0)
    """
    return ((5.0 + length) / 6.0) ** alpha  # type: ignore[operator]
