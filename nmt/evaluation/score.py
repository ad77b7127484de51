"""What every metric returns."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Score:
    """A figure with what it takes to compare it.

    Attributes:
        name: The metric, as `EvaluationConfig.metric` calls it.
        value: In percent, 0 to 100 for BLEU and chrF.
        signature: How it was computed: scores with equal signatures can be compared.
        details: The figures that it was computed from, where the metric has some.
    """

    name: str
    value: float
    signature: str
    details: str = ""


@dataclasses.dataclass(frozen=True, kw_only=True)
class ComparedScore(Score):
    """A score beside that of another system for the same lines.

    Attributes:
        baseline: The other system's.
        difference: The value less the baseline's, in points of a percent. An error rate
            is better than the baseline's where this is negative.
    """

    baseline: Score
    difference: float

    @property
    def signed_difference(self) -> str:
        """The difference for a reader, to hundredths, with its sign."""
        # Adding zero makes +0.00 of what would be -0.00.
        return f"{round(self.difference, 2) + 0.0:+.2f}"


def compare(score: Score, baseline: Score) -> ComparedScore:
    """Sets a score beside the baseline's by the same metric.

    Example:
        >>> compared = compare(Score("bleu", 34.5, "s"), Score("bleu", 30.25, "s"))
        >>> compared.difference, compared.signed_difference
        (4.25, '+4.25')
    """
    return ComparedScore(
        score.name,
        score.value,
        score.signature,
        score.details,
        baseline=baseline,
        difference=score.value - baseline.value,
    )
