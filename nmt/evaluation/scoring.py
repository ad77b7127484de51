"""Scores lines: all of them, by the length and the rarity of the sources, and so on."""

import dataclasses
from collections.abc import Sequence

from nmt.config import EvaluationConfig
from nmt.evaluation.bootstrap import Bootstrap, PairedBootstrap, paired_bootstrap
from nmt.evaluation.lengths import LengthGroup, group_by_length
from nmt.evaluation.measure import LineStatistics
from nmt.evaluation.metrics import count_lines
from nmt.evaluation.ranks import RankGroup, RankTable, average_rank, equal_groups
from nmt.evaluation.references import ScoredLines
from nmt.evaluation.report import EvaluationReport
from nmt.evaluation.score import Score, compare
from nmt.evaluation.words import KnownLines, RankedWords, known_lines
from nmt.progress import Progress


@dataclasses.dataclass(frozen=True)
class Breakdown:
    """Which groups of lines are scored besides all of them. They need the sources.

    Attributes:
        boundaries: The longest sources of all groups by length but the last, in tokens,
            ascending. None: the usual ones as far as there are sources so long, and no
            groups if all lines are in one.
        rank_words: Where there are to be groups by the average frequency rank of a
            source's words, the words of the source side.
        rank_groups: How many groups by rank.
        known_words: Where the lines without unknown words are to be scored, the words
            of the source and of the target side.
    """

    boundaries: Sequence[int] | None = None
    rank_words: RankedWords | None = None
    rank_groups: int = 5
    known_words: tuple[RankedWords, RankedWords] | None = None


class _Counted:
    """What every metric counted in the lines of a system and of its baseline."""

    def __init__(
        self,
        lines: ScoredLines,
        metrics: Sequence[str],
        config: EvaluationConfig,
    ) -> None:
        self.baseline: list[LineStatistics] = []
        systems = [made for made in (lines.hypotheses, lines.baseline) if made]
        total = len(lines.hypotheses) * len(metrics) * len(systems)
        done = 0
        with Progress("scoring", total, "lines") as progress:

            def counted(more: int) -> None:
                nonlocal done
                done += more
                progress.show(done)

            def count(hypotheses: Sequence[str]) -> list[LineStatistics]:
                return [
                    count_lines(
                        metric,
                        hypotheses,
                        lines.references,
                        config,
                        lines.sources,
                        counted,
                    )
                    for metric in metrics
                ]

            self.system = count(lines.hypotheses)
            if lines.baseline is not None:
                self.baseline = count(lines.baseline)

    def scores(self, chosen: Sequence[bool] | None = None) -> tuple[Score, ...]:
        """Returns a score a metric of the chosen lines; none if there are no lines."""
        if chosen is not None and not any(chosen):
            return ()
        own = [statistics.score(chosen) for statistics in self.system]
        other = [statistics.score(chosen) for statistics in self.baseline]
        return tuple(map(compare, own, other)) if other else tuple(own)


def evaluate(
    lines: ScoredLines,
    metrics: Sequence[str],
    config: EvaluationConfig,
    breakdown: Breakdown | None = None,
    bootstrap: Bootstrap | None = None,
) -> EvaluationReport:
    """Scores lines by every metric, and again by groups of them.

    Args:
        lines: Hypotheses, references, for groups sources, and for a comparison a
            baseline.
        metrics: Names of metrics.
        config: Tokenizer and case.
        breakdown: Which groups; none: those by length that it has by default.
        bootstrap: How a difference from the baseline is tested; none: as it is by
            default.

    Raises:
        UserError: a metric is unknown, there are no lines, the words are not those of
            the lines, or the test takes too much memory.
    """
    breakdown, bootstrap = breakdown or Breakdown(), bootstrap or Bootstrap()
    tested = lines.baseline is not None and bootstrap.samples > 0
    if tested:
        bootstrap.check(len(lines.hypotheses))
    if lines.hypotheses:
        _check_words(lines, breakdown)
    counted = _Counted(lines, metrics, config)
    return EvaluationReport(
        lines=len(lines.hypotheses),
        scores=counted.scores(),
        by_source_length=_by_source_length(lines, counted, breakdown),
        by_word_rank=_by_word_rank(lines, counted, breakdown),
        without_unknown=_without_unknown(lines, counted, breakdown),
        paired_bootstrap=_tests(counted, bootstrap) if tested else (),
    )


def _check_words(lines: ScoredLines, breakdown: Breakdown) -> None:
    if breakdown.rank_words:
        breakdown.rank_words.check(lines.sources or [], "the source")
    if breakdown.known_words:
        source_words, target_words = breakdown.known_words
        source_words.check(lines.sources or [], "the source")
        references = [line for right in lines.references for line in right]
        target_words.check(references, "the reference")


def _by_source_length(
    lines: ScoredLines, counted: _Counted, breakdown: Breakdown
) -> tuple[LengthGroup, ...]:
    if lines.sources is None:
        return ()
    groups = tuple(
        LengthGroup(*length_range, sum(inside), counted.scores(inside))
        for length_range, inside in group_by_length(lines.sources, breakdown.boundaries)
    )
    several = sum(group.lines > 0 for group in groups) > 1
    return groups if several or breakdown.boundaries is not None else ()


def _by_word_rank(
    lines: ScoredLines, counted: _Counted, breakdown: Breakdown
) -> RankTable | None:
    words = breakdown.rank_words
    if lines.sources is None or words is None:
        return None
    ranks = [words.line_ranks(source) for source in lines.sources]
    means = [average_rank(each) for each in ranks]
    groups = []
    for inside in equal_groups(means, breakdown.rank_groups):
        own = [mean for mean, chosen in zip(means, inside, strict=True) if chosen]
        groups.append(RankGroup(min(own), max(own), len(own), counted.scores(inside)))
    return RankTable(
        vocabulary=words.path,
        words=sum(map(len, ranks)),
        unknown_words=sum(each.count(words.unknown_rank) for each in ranks),
        unknown_rank=words.unknown_rank,
        groups=tuple(groups),
    )


def _without_unknown(
    lines: ScoredLines, counted: _Counted, breakdown: Breakdown
) -> KnownLines | None:
    if lines.sources is None or breakdown.known_words is None:
        return None
    source_words, target_words = breakdown.known_words
    known = known_lines(lines.sources, lines.references, source_words, target_words)
    return KnownLines(
        source_words.path, target_words.path, sum(known), counted.scores(known)
    )


def _tests(counted: _Counted, bootstrap: Bootstrap) -> tuple[PairedBootstrap, ...]:
    tests: list[PairedBootstrap] = []
    with Progress("paired bootstrap", len(counted.system), "metrics") as progress:
        for system, baseline in zip(counted.system, counted.baseline, strict=True):
            progress.show(len(tests))
            tests.append(paired_bootstrap(system, baseline, bootstrap))
    return tuple(tests)
