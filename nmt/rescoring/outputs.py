"""What is made of lists and scores: files, and figures for the report."""

import contextlib
import dataclasses
from collections.abc import Iterator, Sequence
from typing import TextIO

import numpy as np

from nmt.config import EvaluationConfig
from nmt.data.n_best import NBestList
from nmt.data.text import open_output, read_lines
from nmt.evaluation import Bootstrap
from nmt.progress import Progress
from nmt.rescoring.columns import MIXED, Columns
from nmt.rescoring.inputs import Inputs
from nmt.rescoring.journal import DIGITS, Journal, ScoredList
from nmt.rescoring.mix import Mix, ranking
from nmt.rescoring.quality import Quality
from nmt.rescoring.report import RescoringReport
from nmt.rescoring.request import RescoringRequest


@dataclasses.dataclass(frozen=True)
class ListsWithScores:
    """The lists with what the models said of them, all scored.

    Attributes:
        inputs: Where the lists are.
        names: Of the models; there may be none.
        journal: Where the scores are; None without models.
    """

    inputs: Inputs
    names: tuple[str, ...] = ()
    journal: Journal | None = None

    def read(self) -> Iterator[tuple[NBestList, ScoredList, Columns]]:
        """Yields every list, its scores, and both as columns."""
        journal = self.journal.read() if self.journal else None
        for n_best_list in self.inputs.read_lists():
            number, count = n_best_list.id, len(n_best_list.lines)
            if journal is None:
                scored = ScoredList(number, (), (0,) * count, steps=0, words=0)
            else:
                scored = next(journal)
            rows = map(np.array, scored.log_probs)
            log_probs = dict(zip(self.names, rows, strict=True))
            yield n_best_list, scored, Columns(n_best_list, log_probs)

    def read_all(self) -> Iterator[tuple[NBestList, ScoredList, Columns] | None]:
        """Yields what `read` does for every sentence; None where it has no list."""
        next_id = 0
        for each in self.read():
            for _ in range(next_id, each[0].id):
                yield None
            yield each
            next_id = each[0].id + 1
        for _ in range(next_id, self.inputs.sentences):
            yield None


def write_outputs(
    request: RescoringRequest,
    scores: ListsWithScores,
    mix: Mix,
    config: EvaluationConfig,
) -> RescoringReport:
    """Writes all that is asked for; each file appears whole or not at all.

    Args:
        request: Which files.
        scores: Of all lists.
        mix: What the lists are ranked by.
        config: Of BLEU.

    Raises:
        UserError: a hypothesis lacks a column of the mix, or a file cannot be made.
    """
    tally = _Tally()
    quality = Quality(config, scores.names) if request.reference else None
    with contextlib.ExitStack() as opened:
        files = _Files(request, opened)
        references = read_lines(scores.inputs.reference) if quality else iter(())
        progress = opened.enter_context(
            Progress("writing", scores.inputs.hypotheses, "hypotheses")
        )
        for found in scores.read_all():
            reference = next(references, "")
            if found is None:
                files.add_blank()
                if quality:
                    quality.add(reference, [], {})
                continue
            n_best_list, scored, columns = found
            places = ranking(mix.scores(columns))
            files.add(with_scores(n_best_list, scores.names, scored), places.tolist())
            if quality:
                best = {name: int(ranking(columns[name])[0]) for name in scores.names}
                best[MIXED] = int(places[0])
                quality.add(reference, n_best_list.hypotheses, best)
            tally.add(scored)
            progress.show(tally.hypotheses)
        report = RescoringReport(
            features=scores.names,
            mix=dict(mix.weights),
            sentences=scores.inputs.sentences,
            **dataclasses.asdict(tally),
        )
        if quality:
            report = _with_scores_of(quality, report, request)
        files.add_report(report)
    return report


def with_scores(
    n_best_list: NBestList, names: Sequence[str], scored: ScoredList
) -> NBestList:
    """Returns the list with a feature of every model added to its lines.

    Args:
        n_best_list: The list.
        names: Of the features.
        scored: Their values.
    """
    lines = list(n_best_list.lines)
    for name, values in zip(names, scored.log_probs, strict=True):
        lines = [
            line.with_feature(name, f"{value:.{DIGITS}f}")
            for line, value in zip(lines, values, strict=True)
        ]
    return NBestList(n_best_list.id, tuple(lines))


class _Files:
    """The files that were asked for, all of which are closed together."""

    def __init__(self, request: RescoringRequest, opened: contextlib.ExitStack) -> None:
        def enter(path: str) -> TextIO | None:
            return opened.enter_context(open_output(path)) if path else None

        self._output = enter(request.output)
        self._rerank = enter(request.rerank)
        self._reordered = enter(request.n_best_output)
        self._report = enter(request.report)
        self._report_json = enter(request.report_json)

    def add(self, n_best_list: NBestList, places: Sequence[int]) -> None:
        """Writes a list, and its best hypothesis by an order of its places."""
        if self._output:
            self._output.write(n_best_list.text)
        if self._rerank:
            self._rerank.write(f"{n_best_list.lines[places[0]].hypothesis}\n")
        if self._reordered:
            self._reordered.write(n_best_list.reordered(places).text)

    def add_blank(self) -> None:
        """Writes a sentence that has no list."""
        if self._rerank:
            self._rerank.write("\n")

    def add_report(self, report: RescoringReport) -> None:
        """Writes the report in its forms."""
        if self._report:
            self._report.write(report.text())
        if self._report_json:
            self._report_json.write(report.json())


@dataclasses.dataclass
class _Tally:
    """Counts, as the report has them."""

    lists: int = 0
    hypotheses: int = 0
    hypotheses_with_unknown: int = 0
    unknown_words: int = 0
    words: int = 0
    steps: int = 0

    def add(self, scored: ScoredList) -> None:
        self.lists += 1
        self.hypotheses += len(scored.unknown_words)
        self.hypotheses_with_unknown += sum(map(bool, scored.unknown_words))
        self.unknown_words += sum(scored.unknown_words)
        self.words += scored.words
        self.steps += scored.steps


def _with_scores_of(
    quality: Quality, report: RescoringReport, request: RescoringRequest
) -> RescoringReport:
    bootstrap = Bootstrap(request.bootstrap_samples, request.bootstrap_seed)
    return dataclasses.replace(
        report,
        scores=quality.scores(),
        paired_bootstrap=quality.test(bootstrap) if bootstrap.samples else None,
    )
