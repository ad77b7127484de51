"""RNNsearch and RNNencdec, whole, against float64 NumPy."""

import copy
import dataclasses
import functools
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from nmt.models import Seq2Seq, build_model
from nmt.models.seq2seq import shift_right
from tests.configs.loading import load
from tests.models.papers import SOURCE, TARGET, named_arrays, paper_model
from tests.reference import attention, gru, rnnsearch
from tests.reference.differences import arrays, assert_gradient, numeric_gradient
from tests.reference.random_rnnsearch import VARIANTS, random_parameters, steps
from tests.tolerance import assert_close


@functools.cache
def random_model(variant: str = "search") -> Seq2Seq:
    return paper_model(random_parameters(variant))


def run_steps(model: Seq2Seq) -> list[tuple[tf.Tensor, Any]]:
    """Returns logits and state after each step of a known target."""
    (state, memory), made = model.encode(SOURCE), []
    for ids in tf.unstack(shift_right(tf.constant(TARGET)), axis=1):
        logits, state = model.step(ids, state, memory)
        made.append((logits, state))
    return made


@pytest.mark.parametrize("variant", VARIANTS)
def test_logits_equal_the_reference(variant: str) -> None:
    parameters = random_parameters(variant)
    logits = random_model(variant)((SOURCE, TARGET)).numpy()
    expected = [step.logits for step in steps(parameters, SOURCE, TARGET)]
    words = TARGET > 0
    assert_close(logits[words], np.stack(expected, axis=1)[words], "float32")


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_step_equals_the_reference(variant: str) -> None:
    parameters = random_parameters(variant)
    made = run_steps(random_model(variant))
    for (logits, state), expected in zip(
        made, steps(parameters, SOURCE, TARGET), strict=True
    ):
        assert_close(logits, expected.logits, "float32")
        (layer,) = state.attention.cell
        assert_close(layer.hidden, expected.s, "float32")
        assert_close(state.attention.attention, expected.context, "float32")
        if expected.alignments is not None:
            assert_close(state.attention.alignments, expected.alignments, "float32")


@pytest.mark.parametrize("variant", VARIANTS)
def test_loss_equals_the_reference(variant: str) -> None:
    parameters = random_parameters(variant)
    sums = random_model(variant).losses(SOURCE, TARGET, 0.1, training=True)
    smoothed = rnnsearch.loss(parameters, SOURCE, TARGET, 0.1)
    plain = rnnsearch.loss(parameters, SOURCE, TARGET)
    assert_close([sums.loss, sums.nats], [smoothed, plain], "float32")


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_gradient_equals_finite_differences(variant: str) -> None:
    parameters, model = random_parameters(variant), random_model(variant)
    with tf.GradientTape() as tape:
        loss = model.losses(SOURCE, TARGET, training=True).loss
    found = tape.gradient(loss, [weight.value for weight in model.weights])
    measured = copy.deepcopy(parameters)
    for place, array in zip(arrays(measured), arrays(parameters), strict=True):
        place[...] = numeric_gradient(
            lambda: rnnsearch.loss(parameters, SOURCE, TARGET), array, sample=8
        )
    expected = named_arrays(measured)
    for weight, gradient in zip(model.weights, found, strict=True):
        gradient = tf.convert_to_tensor(gradient).numpy()
        assert_gradient(gradient, expected[weight.path], 2e-5, weight.path)


def test_alignment_reads_the_state_before_the_step() -> None:
    parameters = random_parameters()
    annotations, mask, s = rnnsearch.encode(parameters, SOURCE)
    for _, state in run_steps(random_model()):
        new = np.asarray(state.attention.cell[0].hidden, float)
        _, before = attention.bahdanau(s, annotations, mask, *parameters.alignment)
        _, after = attention.bahdanau(new, annotations, mask, *parameters.alignment)
        assert_close(state.attention.alignments, before, "float32")
        assert np.abs(before - after).max() > 0.01
        s = new


@pytest.mark.parametrize("variant", VARIANTS)
def test_deep_output_reads_the_state_before_the_step(variant: str) -> None:
    parameters = random_parameters(variant)
    other = parameters._replace(
        decoder=gru.Weights(*(-2 * weight for weight in parameters.decoder))
    )
    plain = random_model(variant)((SOURCE, TARGET))
    changed = paper_model(other)((SOURCE, TARGET))
    # y_1 comes from s_0, which the decoder's GRU has not touched yet.
    assert_close(changed[:, 0], plain[:, 0], "float32")
    assert np.abs(changed[:, 1] - plain[:, 1]).max() > 0.01


def test_new_output_state_is_another_model() -> None:
    config = dataclasses.replace(
        load("bahdanau15_search").model,
        embedding_size=2,
        hidden_size=3,
        output_size=4,
        attention_size=5,
        output_state="new",
    )
    other = build_model(config, 6, 7)
    other.set_weights(random_model().get_weights())
    logits, state = other.step(tf.constant([2, 2, 2]), *other.encode(SOURCE))
    expected = steps(random_parameters(), SOURCE, TARGET)[0]
    assert_close(state.attention.cell[0].hidden, expected.s, "float32")
    assert np.abs(logits - expected.logits).max() > 0.01


def test_padding_has_no_alignment() -> None:
    for _, state in run_steps(random_model()):
        assert (state.attention.alignments.numpy()[SOURCE == 0] == 0).all()
