"""Alignments as heat maps: figure 3 of Bahdanau et al. (2015)."""

import dataclasses
import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf
from absl import logging

from nmt.analysis.figures import rendered, write_folder
from nmt.data.pipeline import source_batch
from nmt.data.text import read_lines
from nmt.decoding import Ensemble, TranslationOptions, Translator
from nmt.decoding.alignment import matrix_line, word_alignment
from nmt.decoding.loading import check_choice, load_ensemble
from nmt.errors import UserError
from nmt.evaluation.drawing import check_matplotlib, label, new_figure

# Drawn where no lines are chosen.
_FIRST_LINES = 10


@dataclasses.dataclass(frozen=True)
class AlignmentsRequest:
    """Which alignments are to be drawn.

    Attributes:
        run_dirs: Folders of trainings; several are an ensemble.
        source: File of source sentences.
        output: Folder for the pictures and numbers.
        target: File of their translations; empty: the model's own.
        lines: Numbers of lines, from 1; none: the first ten.
        checkpoint: `best`, `last` or `average`.
        weights: Of the models in the ensemble; none: equal.
        combination: See `Ensemble`.
    """

    run_dirs: tuple[str, ...]
    source: str
    output: str
    target: str = ""
    lines: tuple[int, ...] = ()
    checkpoint: str = "best"
    weights: tuple[float, ...] = ()
    combination: str = "probabilities"


class Aligned(NamedTuple):
    """A sentence pair with where each target word looked.

    Attributes:
        source: Words, in the order of the text, whatever order the model reads.
        target: Words.
        weights: `[target words, source words]`. Rows sum to one with what went to the
            end of the source, which is left out.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    weights: np.ndarray


def draw_alignments(request: AlignmentsRequest) -> list[Aligned]:
    """Draws heat maps: `alignment-N.png` and `.svg` of line N, `alignments.jsonl`.

    An empty translation has no picture.

    Raises:
        UserError: the model does not attend, a file cannot be used, a line is not
            there or blank, or matplotlib is missing.
    """
    check_matplotlib()
    check_choice(request)
    sources = list(read_lines(request.source))
    targets = list(read_lines(request.target)) if request.target else None
    if targets is not None and len(targets) != len(sources):
        raise UserError(
            f"{request.source} has {len(sources):,} lines and {request.target} "
            f"{len(targets):,}; line n of one belongs to line n of the other"
        )
    numbers = _chosen(request, sources)
    lines = [sources[number - 1] for number in numbers]
    ensemble = load_ensemble(request)
    if not any(member.model.attends for member in ensemble.members):
        raise UserError(
            f"{','.join(request.run_dirs)}: has no attention, so that there are no "
            "alignments"
        )
    if targets is None:
        found = own_alignments(ensemble, lines)
    else:
        given = [targets[number - 1] for number in numbers]
        found = given_alignments(ensemble, lines, given)
    files: dict[str, bytes | str] = {}
    content = ""
    for number, aligned in zip(numbers, found, strict=True):
        if aligned.target:
            files |= rendered(f"alignment-{number}", heat_map(aligned))
        else:
            logging.warning(f"line {number} has an empty translation: no picture")
        content += matrix_line(aligned.weights, *aligned[:2]) + "\n"
    write_folder(request.output, {**files, "alignments.jsonl": content})
    return found


def own_alignments(ensemble: Ensemble, lines: Sequence[str]) -> list[Aligned]:
    """Translates lines and returns where each word of the translations looked."""
    options = TranslationOptions(alignments=True)
    found = []
    for line, translation in zip(
        lines, Translator(ensemble).translate(lines, options), strict=True
    ):
        best = translation.n_best[0]
        assert best.alignment is not None
        found.append(
            _by_words(
                (line, best.text), (translation.source, best.tokens), best.alignment
            )
        )
    return found


def given_alignments(
    ensemble: Ensemble, lines: Sequence[str], targets: Sequence[str]
) -> list[Aligned]:
    """Returns where each word of given translations looks, by forced decoding."""
    first = ensemble.members[0]
    found = []
    for pair in zip(lines, targets, strict=True):
        codecs = (first.source_codec, first.target_codec)
        ids, tokens = [], []
        for text, codec in zip(pair, codecs, strict=True):
            ids.append(source_batch(codec.encode(tf.constant([text])), reverse=False))
            (row,) = codec.tokenizer.tokenize(tf.constant([text])).to_list()
            tokens.append(tuple(token.decode() for token in row))
        alignments = ensemble.forced_decoding(*ids).alignments
        assert alignments is not None
        found.append(_by_words(pair, tuple(tokens), alignments[0].numpy()))
    return found


def heat_map(aligned: Aligned) -> Any:
    """Draws one sentence pair: source words above, target words at the left."""
    columns, rows = len(aligned.source), len(aligned.target)
    longest = [max(map(len, words), default=1) for words in aligned[:2]]
    figure = new_figure(
        1.6 + 0.34 * columns + 0.09 * longest[1], 0.6 + 0.34 * rows + 0.09 * longest[0]
    )
    axes = figure.add_subplot()
    image = axes.imshow(
        aligned.weights.reshape(rows, columns), cmap="Blues", vmin=0.0, vmax=1.0
    )
    axes.xaxis.tick_top()
    axes.set_xticks(range(columns), list(map(label, aligned.source)), rotation=90)
    axes.set_yticks(range(rows), list(map(label, aligned.target)))
    axes.set_xticks([place - 0.5 for place in range(1, columns)], minor=True)
    axes.set_yticks([place - 0.5 for place in range(1, rows)], minor=True)
    axes.grid(which="minor", color="0.9", linewidth=0.5)
    axes.tick_params(which="both", length=0)
    figure.colorbar(image, ax=axes, shrink=0.8, aspect=15, pad=0.02)
    return figure


def _chosen(request: AlignmentsRequest, sources: Sequence[str]) -> list[int]:
    full = (number for number, line in enumerate(sources, 1) if line.strip())
    numbers = list(request.lines) or list(itertools.islice(full, _FIRST_LINES))
    if not numbers:
        raise UserError(f"{request.source}: has no sentence")
    for number in numbers:
        if not 1 <= number <= len(sources) or not sources[number - 1].strip():
            raise UserError(f"{request.source}: there is no sentence in line {number}")
    return numbers


def _by_words(
    texts: tuple[str, str], tokens: tuple[tuple[str, ...], ...], alignment: np.ndarray
) -> Aligned:
    """Adds up the pieces of words, where these are the words of the text."""
    source, target = tokens
    inside = alignment[: len(target), : len(source)]
    weights = word_alignment(inside, source, target)
    words = tuple(tuple(text.split()) for text in texts)
    if weights.shape == (len(words[1]), len(words[0])):
        return Aligned(words[0], words[1], weights)
    return Aligned(source, target, inside)
