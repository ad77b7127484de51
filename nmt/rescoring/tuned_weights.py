"""Weights of a mix, tuned on lists whose references are known."""

import json

import numpy as np

from nmt.config import EvaluationConfig
from nmt.data.text import open_output, read_lines
from nmt.evaluation import ListBleu
from nmt.progress import Progress
from nmt.rescoring.columns import ALL, TOTAL, WORDS, Columns
from nmt.rescoring.mix import Mix
from nmt.rescoring.outputs import ListsWithScores
from nmt.rescoring.request import RescoringRequest
from nmt.rescoring.tuning import TuningList, tune


def tune_weights(
    request: RescoringRequest, scores: ListsWithScores, config: EvaluationConfig
) -> Mix:
    """Finds the weights of the total, the models and the length for the highest BLEU.

    The features of the list that `tune_features` names have weights, too. All lists are
    in memory at once: 80 bytes a hypothesis and 8 for every weight.

    Args:
        request: Seed, restarts, and the file for the weights, which is written.
        scores: Of all lists; sentences without a list do not count.
        config: Of BLEU.

    Returns:
        The tuned weights; the absolute values sum to one.

    Raises:
        UserError: a hypothesis lacks a feature that the first one has.
    """
    bleu = ListBleu(config)
    names: list[str] = []
    lists = []
    for found, reference in zip(
        scores.read_all(), read_lines(scores.inputs.reference), strict=True
    ):
        if found is None:
            continue
        n_best_list, _, columns = found
        names = names or _names(columns, scores.names, request.tune_features)
        lists.append(
            TuningList(
                np.stack([columns[name] for name in names], axis=1),
                bleu.count(n_best_list.hypotheses, reference),
            )
        )
    first = {TOTAL: 1.0}
    if scores.names:
        first = dict(Mix.even(scores.names[-1]).weights)
    start = np.array([first.get(name, 0.0) for name in names])
    points = request.tune_restarts + 1
    with Progress("tuning", points, "starting points") as progress:
        weights, found_bleu = tune(
            lists, start, request.tune_restarts, request.tune_seed, progress.show
        )
    mix = Mix(dict(zip(names, weights.tolist(), strict=True)))
    about = {
        "weights": mix.weights,
        "bleu": found_bleu,
        "lists": len(lists),
        "restarts": request.tune_restarts,
        "seed": request.tune_seed,
    }
    with open_output(request.tuned_file) as file:
        file.write(json.dumps(about, indent=2) + "\n")
    return mix


def _names(
    columns: Columns, models: tuple[str, ...], features: tuple[str, ...]
) -> list[str]:
    if ALL in features:
        return columns.names
    return list(dict.fromkeys([TOTAL, *models, WORDS, *features]))
