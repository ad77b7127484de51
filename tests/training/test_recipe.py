"""Whole updates of the papers' recipes and of the small preset, in float64 NumPy."""

import dataclasses

import numpy as np
import pytest
import tensorflow as tf

from nmt.config import Config, ModelConfig, TrainingConfig
from nmt.models import Seq2Seq, build_model
from nmt.training.optimizers import make_optimizer
from nmt.training.report import describe_recipe
from nmt.training.schedule import Position, learning_rate
from nmt.training.step import TrainStep
from tests.configs.loading import load
from tests.models import papers
from tests.reference import lstm, optimizers, rnnsearch, seq2seq
from tests.reference.differences import arrays, numeric_gradient
from tests.reference.random_rnnsearch import random_parameters

LAYERS = 2
# Both sides repeat words, so that rows of the embeddings have several gradients.
SOURCE = np.array([[5, 5, 4, 6, 3], [4, 3, 0, 0, 0], [6, 5, 3, 0, 0]], np.int32)
TARGET = np.array([[4, 4, 5, 3], [5, 3, 0, 0], [6, 4, 3, 0]], np.int32)
POSITION = Position(update=300, examples=3000, corpus_size=1000)


def in_order(parameters: seq2seq.Parameters) -> list[np.ndarray]:
    """Returns all arrays in the order of the model's weights."""
    source, target, encoder, decoder, projection, bias = parameters
    encoder_weights = [array for layer in encoder for array in layer]
    decoder_weights = [array for layer in decoder for array in layer]
    return [source, *encoder_weights, target, *decoder_weights, projection, bias]


def from_weights(arrays: list[np.ndarray]) -> seq2seq.Parameters:
    """The inverse of `in_order`."""
    left = iter(arrays)

    def stack() -> list[lstm.Weights]:
        return [lstm.Weights(next(left), next(left), next(left)) for _ in range(LAYERS)]

    source, encoder = next(left), stack()
    target, decoder = next(left), stack()
    return seq2seq.Parameters(source, target, encoder, decoder, next(left), next(left))


def trained(config: TrainingConfig, updates: int) -> tuple[list, Seq2Seq, float]:
    """Returns the first weights, the model after some updates, and a gradient norm."""
    sizes = {"embedding_size": 3, "hidden_size": 4, "num_layers": LAYERS}
    model = build_model(ModelConfig(**sizes, dropout=0.0), 8, 7)
    generator = np.random.default_rng(5)
    first = [generator.uniform(-0.9, 0.9, w.shape) for w in model.weights]
    model.set_weights(first)
    return first, model, update(model, config, updates, SOURCE, TARGET)


def update(
    model: Seq2Seq,
    config: TrainingConfig,
    updates: int,
    source: np.ndarray,
    target: np.ndarray,
) -> float:
    """Makes some updates and returns the last gradient norm."""
    strategy = tf.distribute.get_strategy()
    step = TrainStep(model, make_optimizer(config), strategy, config)
    rate = learning_rate(config, POSITION)
    for _ in range(updates):
        result, made = step(tf.constant(source), tf.constant(target), rate)
        assert made
    return float(result.gradient_norm)


def gradients(
    weights: list[np.ndarray], config: TrainingConfig, divisor: int
) -> list[np.ndarray]:
    _, found = seq2seq.loss_and_gradients(
        from_weights(weights), SOURCE, TARGET, config.label_smoothing
    )
    divided = [gradient / divisor for gradient in in_order(found)]
    return optimizers.rescale(divided, config.max_gradient_norm)


def assert_weights(model: Seq2Seq, expected: list[np.ndarray]) -> None:
    for weight, array in zip(model.weights, expected, strict=True):
        np.testing.assert_allclose(
            weight.numpy(), array, atol=1e-5, err_msg=weight.path
        )


# A norm of 5 is never reached by so small a model: 0.05 makes the rescale bite.
@pytest.mark.parametrize("max_norm", [5.0, 0.05])
@pytest.mark.parametrize("updates", [1, 3])
def test_sutskever_updates_equal_the_reference(max_norm: float, updates: int) -> None:
    config = load("sutskever14").training
    config.max_gradient_norm = max_norm
    weights, model, norm = trained(config, updates)
    assert (norm > max_norm) == (max_norm < 1)
    for _ in range(updates):
        found = gradients(weights, config, len(SOURCE))
        weights = optimizers.sgd(weights, found, 0.7)
    assert_weights(model, weights)


@pytest.mark.parametrize("updates", [1, 3])
def test_small_preset_updates_equal_the_reference(updates: int) -> None:
    config = Config().training
    config.max_gradient_norm = 0.1
    weights, model, norm = trained(config, updates)
    assert norm > config.max_gradient_norm
    moments = optimizers.Moments.zeros(weights)
    rate = learning_rate(config, POSITION)
    for update in range(1, updates + 1):
        found = gradients(weights, config, np.count_nonzero(TARGET))
        weights, moments = optimizers.adam(
            weights, found, moments, update, rate, epsilon=1e-7
        )
    assert_weights(model, weights)


@pytest.mark.parametrize("variant", ["search", "encdec of one direction"])
def test_bahdanau_updates_equal_the_reference(variant: str) -> None:
    config = load("bahdanau15_search").training
    assert load("bahdanau15_encdec").training == dataclasses.replace(
        config, max_epochs=4.5
    )
    parameters = random_parameters(variant)
    model = papers.paper_model(parameters)
    norm = update(model, config, 2, papers.SOURCE, papers.TARGET)
    weights = list(arrays(parameters))
    moments = optimizers.Moments.zeros(weights)
    for _ in range(2):
        found = [
            numeric_gradient(lambda: batch_mean(parameters), weight)
            for weight in weights
        ]
        moved, moments = optimizers.adadelta(
            weights, optimizers.rescale(found, 1.0), moments
        )
        for weight, new in zip(weights, moved, strict=True):
            weight[...] = new
    # Of the second update: the rescale has an effect, which hides what was divided by.
    expected_norm = np.sqrt(sum(np.sum(gradient**2) for gradient in found))
    assert norm == pytest.approx(expected_norm, rel=1e-4)
    assert norm > 1
    expected = papers.named_arrays(parameters)
    for weight in model.weights:
        np.testing.assert_allclose(
            weight.numpy(), expected[weight.path], atol=1e-5, err_msg=weight.path
        )


def batch_mean(parameters: rnnsearch.Parameters) -> float:
    loss = rnnsearch.loss(parameters, papers.SOURCE, papers.TARGET)
    return loss / len(papers.SOURCE)


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("sutskever14", "sgd|0.7|halved|epoch 5|sentences|norm 5|7.5"),
        (
            "bahdanau15_search",
            "adadelta|rate 1, constant|rho 0.95|1e-6|sentences|norm 1",
        ),
    ],
)
def test_the_papers_recipes_are_printed_with_their_numbers(
    name: str, parts: str
) -> None:
    text = "; ".join(describe_recipe(load(name).training))
    for part in parts.split("|"):
        assert part in text
