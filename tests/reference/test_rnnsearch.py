"""What must hold for RNNsearch and RNNencdec whatever their weights are."""

import numpy as np
import pytest

from tests.reference import attention, gru, rnnsearch
from tests.reference.attention_wrapper import unroll
from tests.reference.differences import arrays
from tests.reference.random_rnnsearch import (
    VARIANTS,
    build,
    random_parameters,
    steps,
)
from tests.tolerance import assert_close

SOURCE = np.array([[5, 4, 4, 3], [4, 3, 0, 0]])
TARGET = np.array([[4, 3, 0], [5, 4, 3]])


def test_paper_has_80_4_million_weights_and_41_thousand_biases() -> None:
    full = build(
        lambda shape: np.broadcast_to(0.0, shape),
        (30_000, 30_000),
        (1000, 620, 500, 1000),
    )
    biases = 3 * 3 * 1000 + 1000 + 2 * 500 + 30_000
    assert sum(array.size for array in arrays(full)) == 80_401_000 + biases


@pytest.mark.parametrize("variant", VARIANTS)
def test_weights_of_zero_know_nothing(variant: str) -> None:
    parameters = build(np.zeros, (6, 7), (3, 2, 4, 5), variant)
    assert_close(rnnsearch.loss(parameters, SOURCE, TARGET), 5 * np.log(7), "float64")


@pytest.mark.parametrize("variant", VARIANTS)
def test_padding_and_order_change_nothing(variant: str) -> None:
    parameters = random_parameters(variant)
    plain = rnnsearch.loss(parameters, SOURCE, TARGET, 0.1)
    wider = [np.pad(ids, [(0, 0), (0, 2)]) for ids in (SOURCE, TARGET)]
    assert_close(rnnsearch.loss(parameters, *wider, 0.1), plain, "float64")
    turned = SOURCE[::-1], TARGET[::-1]
    assert_close(rnnsearch.loss(parameters, *turned, 0.1), plain, "float64")
    alone = [
        rnnsearch.loss(parameters, SOURCE[:1], TARGET[:1, :2], 0.1),
        rnnsearch.loss(parameters, SOURCE[1:, :2], TARGET[1:], 0.1),
    ]
    assert_close(sum(alone), plain, "float64")


def test_annotations_read_both_sides_of_their_word() -> None:
    parameters = random_parameters()
    plain, _, s = rnnsearch.encode(parameters, SOURCE[:1])
    other = SOURCE[:1].copy()
    other[0, 2] = 1
    changed, _, changed_s = rnnsearch.encode(parameters, other)
    moved = np.abs(changed - plain)[0] > 1e-6
    assert moved[:, :3].any(-1).tolist() == [False, False, True, True]
    assert moved[:, 3:].any(-1).tolist() == [True, True, True, False]
    assert (changed_s != s).all()


@pytest.mark.parametrize("variant", VARIANTS)
def test_word_is_predicted_before_the_cell_steps(variant: str) -> None:
    """The logits and the context of y_i come from s_(i-1)."""
    parameters = random_parameters(variant)
    other = parameters._replace(
        decoder=gru.Weights(*(-2 * weight for weight in parameters.decoder))
    )
    plain, changed = (steps(p, SOURCE, TARGET) for p in (parameters, other))
    assert_close(changed[0].logits, plain[0].logits, "float64")
    assert_close(changed[0].context, plain[0].context, "float64")
    assert (changed[0].s != plain[0].s).all()
    assert (changed[1].logits != plain[1].logits).all()


@pytest.mark.parametrize("variant", VARIANTS)
def test_decoder_starts_from_the_state_that_read_the_source(variant: str) -> None:
    parameters = random_parameters(variant)
    annotations, _, start = rnnsearch.encode(parameters, SOURCE)
    last = annotations[:, 0, 3:]
    if parameters.backward is None:
        last = np.stack([annotations[0, 3], annotations[1, 1]])
    assert_close(start, np.tanh(last @ parameters.W_s + parameters.b_s), "float64")


@pytest.mark.parametrize("variant", VARIANTS[1:])
def test_context_is_fixed_without_an_alignment_model(variant: str) -> None:
    parameters = random_parameters(variant)
    annotations, _, _ = rnnsearch.encode(parameters, SOURCE)
    expected = [
        np.concatenate([annotations[row, last, :3], annotations[row, 0, 3:]])
        for row, last in [(0, 3), (1, 1)]
    ]
    for step in steps(parameters, SOURCE, TARGET):
        assert step.alignments is None
        assert_close(step.context, expected, "float64")


def test_source_of_one_word_needs_no_alignment() -> None:
    parameters, source = random_parameters(), np.array([[4], [3]])
    fixed = rnnsearch.loss(parameters._replace(alignment=None), source, TARGET)
    assert_close(rnnsearch.loss(parameters, source, TARGET), fixed, "float64")


def test_decoder_is_the_wrapper_with_the_previous_query() -> None:
    parameters = random_parameters()
    annotations, mask, start = rnnsearch.encode(parameters, SOURCE)
    inputs = np.array([[2, 4, 3], [2, 5, 4]])

    def cell(x: np.ndarray, h: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        h = gru.cell(x, h, parameters.decoder)
        return h, h

    wrapped = unroll(
        cell,
        lambda s: attention.bahdanau(s, annotations, mask, *parameters.alignment),
        lambda s: s,
        parameters.target_embeddings[inputs],
        start,
        "previous",
    )
    for i, step in enumerate(steps(parameters, SOURCE, TARGET)):
        assert_close(wrapped.outputs[:, i], step.s, "float64")
        assert_close(wrapped.contexts[:, i], step.context, "float64")
        assert_close(wrapped.alignments[:, i], step.alignments, "float64")


def test_empty_source_is_finite() -> None:
    parameters = random_parameters()
    empty = np.zeros_like(SOURCE)
    assert np.isfinite(rnnsearch.loss(parameters, empty, TARGET))
    assert_close(steps(parameters, empty, TARGET)[0].alignments, empty, "float64")
