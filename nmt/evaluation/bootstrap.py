"""Whether two systems differ by more than chance: paired bootstrap, by sacrebleu."""

import contextlib
import dataclasses
import logging
import os
from collections.abc import Iterator, Sequence
from typing import Any, cast

from sacrebleu.metrics.base import Metric, Signature
from sacrebleu.significance import PairedTest, Result

from nmt.errors import UserError
from nmt.evaluation.measure import LineStatistics

# Lines of all samples together: sacrebleu holds the statistics of all of them at once,
# and those of chrF take 72 bytes a line.
_MAX_DRAWN_LINES = 20_000_000


@dataclasses.dataclass(frozen=True)
class Bootstrap:
    """How often to draw.

    Attributes:
        samples: How many texts are drawn, each of as many lines as there are; 0: none,
            there is no test.
        seed: Of the draws, above zero: sacrebleu would take zero for no seed.
    """

    samples: int = 1000
    seed: int = 12345

    def __post_init__(self) -> None:
        if self.samples < 0:
            raise UserError(
                f"--bootstrap_samples={self.samples}: give the number of samples, such "
                "as 1000, or 0 for no test"
            )
        if self.seed < 1:
            raise UserError(f"--bootstrap_seed={self.seed}: give a number above zero")

    def check(self, lines: int) -> None:
        """Refuses more samples of so many lines than fit into memory.

        Raises:
            UserError: there are too many; with the greatest number that is possible.
        """
        if self.samples * lines > _MAX_DRAWN_LINES:
            raise UserError(
                f"--bootstrap_samples={self.samples}: so many samples of {lines:,} "
                "lines take too much memory; give at most "
                f"{_MAX_DRAWN_LINES // lines}, where 0 is no test"
            )


@dataclasses.dataclass(frozen=True)
class PairedBootstrap:
    """How sure the difference of two systems is, by one metric.

    Attributes:
        name: The metric.
        p_value: How probable so great a difference would be, in either direction, if
            the systems were equally good.
        samples: Texts drawn.
        seed: Of the draws.
        mean: Of the system's scores of these texts.
        half_width: Half the width of the interval that holds 95 % of them.
        baseline_mean: The same of the other system.
        baseline_half_width: The same of the other system.
        signature: Of the metric and the test.
    """

    name: str
    p_value: float
    samples: int
    seed: int
    mean: float
    half_width: float
    baseline_mean: float
    baseline_half_width: float
    signature: str

    def __str__(self) -> str:
        return (
            f"p = {self.p_value:.4f}, {self.mean:.2f} +- {self.half_width:.2f}, "
            f"baseline {self.baseline_mean:.2f} +- {self.baseline_half_width:.2f}"
        )


def paired_bootstrap(
    system: LineStatistics, baseline: LineStatistics, bootstrap: Bootstrap
) -> PairedBootstrap:
    """Tests whether two systems differ in what they made of the same lines.

    Paired bootstrap (Koehn, 2004): texts of as many lines are drawn with replacement,
    the same lines for both systems. With d the absolute difference of the scores, of
    all lines or of the k-th of N texts,

        p = (1 + |{k: d_k - mean(d_1 ... d_N) > d}|) / (1 + N)

    Systems that do equally well in each line have p = 1 (sacrebleu itself would give
    the least p that there is).

    Args:
        system: What a metric counted in its lines.
        baseline: The same of the system to be compared with.
        bootstrap: Samples, at least one, and seed.

    Raises:
        UserError: so many samples of so many lines do not fit into memory.
    """
    samples, seed = bootstrap.samples, bootstrap.seed
    bootstrap.check(len(baseline.rows))
    metric = system.measure.metric
    with _seeded_and_silent(seed):
        # The statistics of a line stand for the line: they are not counted again.
        test = PairedTest(
            cast(
                list[tuple[str, Sequence[str]]],
                [("baseline", baseline.rows), ("system", system.rows)],
            ),
            {system.measure.name: cast(Metric, _CountedMetric(metric))},
            references=None,
            test_type="bs",
            n_samples=samples,
        )
        signatures, results = test()
    (signature,) = signatures.values()
    _, (other, own) = results.values()
    assert isinstance(own, Result)
    assert isinstance(other, Result)
    return PairedBootstrap(
        name=system.measure.name,
        p_value=1.0 if system.rows == baseline.rows else float(own.p_value or 0.0),
        samples=samples,
        seed=seed,
        mean=float(own.mean or 0.0),
        half_width=float(own.ci or 0.0),
        baseline_mean=float(other.mean or 0.0),
        baseline_half_width=float(other.ci or 0.0),
        signature=str(signature),
    )


class _CountedMetric:
    """A metric as far as sacrebleu's test uses it, for lines that are counted."""

    def __init__(self, metric: Metric) -> None:
        self._metric = metric
        self._aggregate_and_compute = metric._aggregate_and_compute
        self._compute_score_from_stats = metric._compute_score_from_stats

    def _extract_corpus_statistics(self, rows: Any, references: None) -> Any:
        del references
        return rows

    def get_signature(self) -> Signature:
        return self._metric.get_signature()


@contextlib.contextmanager
def _seeded_and_silent(seed: int) -> Iterator[None]:
    # The environment is the seed's only way in.
    before = os.environ.get("SACREBLEU_SEED")
    os.environ["SACREBLEU_SEED"] = str(seed)
    logger = logging.getLogger("sacrebleu")
    level = logger.level
    logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.setLevel(level)
        if before is None:
            del os.environ["SACREBLEU_SEED"]
        else:
            os.environ["SACREBLEU_SEED"] = before
