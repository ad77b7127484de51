"""Weights for the reference of RNNsearch, and its decoder run over a target."""

from collections.abc import Callable, Sequence

import numpy as np

from tests.reference import attention, gru, maxout, rnnsearch

VARIANTS = ["search", "encdec", "encdec of one direction"]


def build(
    make: Callable[[Sequence[int]], np.ndarray],
    vocabularies: tuple[int, int],
    sizes: tuple[int, int, int, int],
    variant: str = "search",
) -> rnnsearch.Parameters:
    """Sizes are those of the hidden, embedding, maxout and alignment layers."""
    hidden, embedding, units, energy = sizes
    wide = hidden if variant == "encdec of one direction" else 2 * hidden

    def cell(inputs: int) -> gru.Weights:
        return gru.Weights(
            make([inputs, 3 * hidden]), make([hidden, 3 * hidden]), make([3 * hidden])
        )

    return rnnsearch.Parameters(
        source_embeddings=make([vocabularies[0], embedding]),
        forward=cell(embedding),
        backward=cell(embedding) if wide != hidden else None,
        W_s=make([hidden, hidden]),
        b_s=make([hidden]),
        target_embeddings=make([vocabularies[1], embedding]),
        alignment=attention.Alignment(
            make([hidden, energy]), make([wide, energy]), make([energy])
        )
        if variant == "search"
        else None,
        decoder=cell(embedding + wide),
        deep_output=maxout.Weights(
            *(make([rows, 2 * units]) for rows in (hidden, embedding, wide)),
            make([2 * units]),
        ),
        W_o=make([units, vocabularies[1]]),
        b_o=make([vocabularies[1]]),
    )


def random_parameters(variant: str = "search") -> rnnsearch.Parameters:
    random = np.random.default_rng(6)
    return build(lambda shape: random.normal(size=shape), (6, 7), (3, 2, 4, 5), variant)


def steps(
    parameters: rnnsearch.Parameters, source: np.ndarray, target: np.ndarray
) -> list[rnnsearch.Step]:
    annotations, mask, s = rnnsearch.encode(parameters, source)
    y_prev, made = np.full(len(target), rnnsearch.BOS_ID), []
    for y in target.T:
        made.append(rnnsearch.decoder_step(parameters, y_prev, s, annotations, mask))
        y_prev, s = y, made[-1].s
    return made
