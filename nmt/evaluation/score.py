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
