"""What an evaluation found, as text and as JSON."""

import dataclasses
import json
from collections.abc import Iterator

from nmt.evaluation.bootstrap import PairedBootstrap
from nmt.evaluation.lengths import LengthGroup
from nmt.evaluation.metrics import LOWER_IS_BETTER
from nmt.evaluation.ranks import RankTable
from nmt.evaluation.score import ComparedScore, Score
from nmt.evaluation.tables import Row, score_tables
from nmt.evaluation.words import KnownLines


@dataclasses.dataclass(frozen=True)
class EvaluationReport:
    """What `nmt-evaluate` says.

    Attributes:
        lines: Lines scored.
        scores: One a metric; a `ComparedScore` where there is a baseline.
        by_source_length: Shortest first; empty where sources are not known, or, unless
            it was asked for, all of about one length.
        by_word_rank: By the average frequency rank of the source's words, where that
            was asked for.
        without_unknown: Of the lines without unknown words, where that was asked for.
        paired_bootstrap: One a metric where there is a baseline.
    """

    lines: int
    scores: tuple[Score, ...]
    by_source_length: tuple[LengthGroup, ...] = ()
    by_word_rank: RankTable | None = None
    without_unknown: KnownLines | None = None
    paired_bootstrap: tuple[PairedBootstrap, ...] = ()

    def json(self) -> str:
        """Returns the report as one indented JSON object."""
        return json.dumps(dataclasses.asdict(self), indent=2) + "\n"

    def text(self) -> str:
        """Returns the report for a reader, a line a score and tables by group."""
        lines = [line for scored in self.scores for line in _score_lines(scored)]
        lines.append(f"{self.lines:,} lines")
        lines += _test_lines(self.paired_bootstrap)
        lines += score_tables(
            "source tokens",
            [
                Row(str(group), group.lines, group.scores)
                for group in self.by_source_length
            ],
        )
        if self.by_word_rank:
            lines += _rank_lines(self.by_word_rank)
        if self.without_unknown:
            lines += self._known_lines(self.without_unknown)
        return "\n".join(lines) + "\n"

    def _known_lines(self, known: KnownLines) -> Iterator[str]:
        yield ""
        yield (
            f"{known.lines:,} of {self.lines:,} lines have no unknown word: all words "
            f"of the source are in {known.source_vocabulary}, all of the reference in "
            f"{known.target_vocabulary}"
        )
        yield from score_tables(
            "subset",
            [
                Row("all", self.lines, self.scores),
                Row("no unknown", known.lines, known.scores),
            ],
        )


def _score_lines(scored: Score) -> Iterator[str]:
    value, baseline_details = f"{scored.value:.2f}", ""
    if isinstance(scored, ComparedScore):
        value += (
            f", baseline {scored.baseline.value:.2f}, "
            f"difference {scored.signed_difference}"
        )
        baseline_details = scored.baseline.details
    yield f"{scored.name} = {value}  {scored.signature}"
    if scored.details:
        lower = "; lower is better" if scored.name in LOWER_IS_BETTER else ""
        yield f"    {scored.details}{lower}"
    if baseline_details:
        yield f"    baseline: {baseline_details}"


def _test_lines(tests: tuple[PairedBootstrap, ...]) -> Iterator[str]:
    for i, test in enumerate(tests):
        if i == 0:
            yield ""
            yield (
                f"paired bootstrap of the difference, {test.samples:,} samples, seed "
                f"{test.seed}; means and 95 % intervals of the samples"
            )
        yield f"{test.name}: {test}"
        yield f"    {test.signature}"


def _rank_lines(table: RankTable) -> Iterator[str]:
    yield ""
    yield (
        f"average rank of a source's words in {table.vocabulary}, 1 for the commonest; "
        f"{table.unknown_words:,} of {table.words:,} words are not in it and count as "
        f"{table.unknown_rank:,}"
    )
    yield from score_tables(
        "average rank",
        [
            Row(f"{group.lowest:,.1f}-{group.highest:,.1f}", group.lines, group.scores)
            for group in table.groups
        ],
    )
