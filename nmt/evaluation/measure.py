"""What a metric counts in each line, of which any group of lines makes its score."""

import dataclasses
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

from sacrebleu.metrics.base import Metric

from nmt.evaluation.score import Score

# Told how many more lines are counted.
CountedCallback = Callable[[int], None]

_LINES_A_CALL = 50


@dataclasses.dataclass(frozen=True)
class LineStatistics:
    """What one metric counted in what one system made.

    The score of lines is made of the sums of their statistics, so that each line is
    compared with its references once, in however many groups it is.

    Attributes:
        measure: The metric.
        rows: The statistics of each item.
        items: For each line the item that it belongs to: its own, or one of all lines
            of equal source.
    """

    measure: "Measure"
    rows: list[list[float]]
    items: Sequence[int]

    def score(self, chosen: Sequence[bool] | None = None) -> Score:
        """Returns the score of the lines at which `chosen` is true, or of all."""
        rows = self.rows
        if chosen is not None:
            wanted = set(itertools.compress(self.items, chosen))
            rows = [row for item, row in enumerate(rows) if item in wanted]
        metric = self.measure.metric
        result = metric._aggregate_and_compute(rows)
        return Score(
            self.measure.name,
            result.score,
            str(metric.get_signature()),
            self.measure.details(result),
        )


@dataclasses.dataclass(frozen=True)
class Measure:
    """A metric with its settings.

    Attributes:
        name: As `EvaluationConfig.metric` calls it.
        metric: In sacrebleu's form.
        details: Makes of sacrebleu's score the figures that it was computed from.
    """

    name: str
    metric: Metric
    details: Callable[[Any], str]

    def count(
        self,
        hypotheses: Sequence[str],
        references: Sequence[tuple[str, ...]],
        counted: CountedCallback | None = None,
    ) -> LineStatistics:
        """Compares each hypothesis with its references.

        Args:
            hypotheses: A line an item.
            references: For each hypothesis one or more right lines.
            counted: Told of the progress.
        """
        rows = self.metric._extract_corpus_statistics(
            # It is only iterated, line after line.
            cast(Sequence[str], _telling(hypotheses, counted)),
            reference_streams(references),
        )
        return LineStatistics(self, rows, range(len(rows)))


def reference_streams(
    references: Sequence[tuple[str, ...]],
) -> list[tuple[Any, ...]]:
    """Turns references by line into whole texts with gaps, as sacrebleu wants them.

    Example:
        >>> reference_streams([("a", "b"), ("c",)])
        [('a', 'c'), ('b', None)]
    """
    return list(itertools.zip_longest(*references))


def no_details(result: Any) -> str:
    """Returns nothing: for metrics whose score says it all."""
    del result
    return ""


def _telling(lines: Sequence[str], counted: CountedCallback | None) -> Iterator[str]:
    told = 0
    for done, line in enumerate(lines):
        if counted and done - told >= _LINES_A_CALL:
            counted(done - told)
            told = done
        yield line
    if counted:
        counted(len(lines) - told)
