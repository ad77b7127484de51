"""From files of lists to files of re-ranked lists: what `nmt-rescore` does."""

import contextlib
import functools
import pathlib
import tempfile
import time
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from absl import logging

from nmt.data.n_best import NBestList
from nmt.data.text import read_lines
from nmt.decoding import Scorer
from nmt.decoding.loading import load_ensemble
from nmt.distribution import allow_memory_growth
from nmt.evaluation import Bootstrap, ListBleu
from nmt.progress import Progress
from nmt.rescoring.columns import ALL, Columns, feature_names
from nmt.rescoring.inputs import Inputs, open_inputs, with_lines
from nmt.rescoring.journal import Journal, ScoredList, digest
from nmt.rescoring.mix import Mix
from nmt.rescoring.outputs import ListsWithScores, write_outputs
from nmt.rescoring.report import RescoringReport
from nmt.rescoring.request import RescoringRequest
from nmt.rescoring.tuned_weights import tune_weights

# Hypotheses that are read before the short lists among them are scored together.
WINDOW = 1000


def rescore_file(request: RescoringRequest) -> RescoringReport:
    """Scores lists, adds the scores to them, ranks them anew, and reports.

    First, if there are models, all lists are scored, one after the other, into a file
    beside the output. If that is stopped, the same request goes on after the last list
    that was done. Then the outputs are made from the scores; they appear whole or not
    at all. Lists are read one at a time: memory does not depend on their number, unless
    weights are tuned.

    Raises:
        UserError: a file or a run folder cannot be used, or the request makes no sense;
            found out before a model is loaded where that is possible.
    """
    request.check()
    config = request.evaluation()
    with contextlib.ExitStack() as opened:
        inputs = opened.enter_context(
            open_inputs(request.source, request.n_best, request.reference)
        )
        if request.reference:
            # Refuses settings that it would refuse when all is scored.
            ListBleu(config)
            Bootstrap(request.bootstrap_samples).check(inputs.sentences)
        names = feature_names(request.run_dirs, inputs.features)
        _check_mix(request, inputs, names)
        scores = ListsWithScores(inputs)
        if request.run_dirs:
            path = opened.enter_context(_journal_path(request.scores_file))
            journal = opened.enter_context(Journal(path, _about(request, inputs)))
            _score_all(request, inputs, journal)
            scores = ListsWithScores(inputs, names, journal)
        if request.tuned_file:
            mix = tune_weights(request, scores, config)
        else:
            mix = Mix.parse(request.mix, *names[-1:])
        report = write_outputs(request, scores, mix, config)
        if scores.journal:
            scores.journal.remove()
    if not request.report:
        logging.info("%s", report.text().rstrip())
    return report


def _about(request: RescoringRequest, inputs: Inputs) -> dict[str, Any]:
    """Returns what the scores depend on."""
    return {
        "models": digest(*request.model_files()),
        "weights": list(request.weights),
        "combination": request.combination,
        "source": digest(inputs.source),
        "n_best": digest(inputs.n_best),
    }


@contextlib.contextmanager
def _journal_path(beside: str) -> Iterator[pathlib.Path]:
    """Yields where scores are kept: beside the output, if that is a file."""
    if not beside:
        with tempfile.TemporaryDirectory(prefix="nmt-rescore-") as folder:
            yield pathlib.Path(folder) / "scores"
        return
    yield pathlib.Path(beside)


def _check_mix(
    request: RescoringRequest, inputs: Inputs, names: tuple[str, ...]
) -> None:
    """Refuses weights of what the first list has not, before it is scored."""
    first = next(inputs.read_lists())
    zeros = dict.fromkeys(names, np.zeros(len(first.lines)))
    if request.tuned_file:
        columns = Columns(first, zeros)
        for name in set(request.tune_features) - {ALL}:
            columns[name]
        return
    Mix.parse(request.mix, *names[-1:]).scores(Columns(first, zeros))


def _score_all(request: RescoringRequest, inputs: Inputs, journal: Journal) -> None:
    """Scores the lists that are not in the journal."""
    if journal.done:
        logging.info("%d of %d lists are scored already", journal.done, inputs.lists)
    if journal.done == inputs.lists:
        return
    # A training may be running on the same GPU.
    allow_memory_growth()
    scorer = Scorer(load_ensemble(request))
    began, before, done, steps = time.monotonic(), 0, 0, 0
    lists = with_lines(inputs.read_lists(), read_lines(inputs.source))
    place = 0
    with Progress("rescoring", inputs.hypotheses, "hypotheses") as progress:
        for window in _windows(lists):
            count = sum(len(n_best_list.lines) for n_best_list, _ in window)
            place += len(window)
            if place <= journal.done:
                before += count
                continue
            progress.show(before + done)
            found = scorer.score_lists(
                [source for _, source in window],
                [n_best_list.hypotheses for n_best_list, _ in window],
                functools.partial(_show, progress, before + done),
            )
            # A stop may have left a window half done.
            for (n_best_list, _), scores in list(zip(window, found, strict=True))[
                journal.done - place :
            ]:
                journal.append(ScoredList.of(n_best_list.id, scores))
            done, steps = done + count, steps + sum(each.steps for each in found)
    seconds = max(time.monotonic() - began, 1e-9)
    logging.info(
        f"{done:,} hypotheses in {seconds:.1f} s: {done / seconds:,.1f} hypotheses/s, "
        f"{steps / seconds:,.1f} steps/s"
    )


def _show(progress: Progress, before: int, done: int) -> None:
    progress.show(before + done)


def _windows(
    lists: Iterable[tuple[NBestList, str]],
) -> Iterator[list[tuple[NBestList, str]]]:
    """Yields lists that are scored together, by their lengths alone.

    A stop changes nothing in them, and so not a digit of the scores.
    """
    window, count = [], 0
    for n_best_list, source in lists:
        window.append((n_best_list, source))
        count += len(n_best_list.lines)
        if count >= WINDOW:
            yield window
            window, count = [], 0
    if window:
        yield window
