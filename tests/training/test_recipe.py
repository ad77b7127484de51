"""Whole updates of both recipes against float64 NumPy."""

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
from tests.reference import lstm, optimizers, seq2seq

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
    model = build_model(ModelConfig(3, 4, LAYERS, dropout=0.0), 8, 7)
    generator = np.random.default_rng(5)
    first = [generator.uniform(-0.9, 0.9, w.shape) for w in model.weights]
    model.set_weights(first)
    strategy = tf.distribute.get_strategy()
    step = TrainStep(model, make_optimizer(config), strategy, config)
    rate = learning_rate(config, POSITION)
    for _ in range(updates):
        result, made = step(tf.constant(SOURCE), tf.constant(TARGET), rate)
        assert made
    return first, model, float(result.gradient_norm)


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


def test_adadelta_updates_equal_the_reference() -> None:
    config = TrainingConfig(
        optimizer="adadelta",
        learning_rate=1.0,
        schedule="constant",
        warmup_updates=0,
        divide_by="sentences",
        label_smoothing=0.0,
    )
    weights, model, _ = trained(config, 2)
    moments = optimizers.Moments.zeros(weights)
    for _ in range(2):
        found = gradients(weights, config, len(SOURCE))
        weights, moments = optimizers.adadelta(weights, found, moments)
    assert_weights(model, weights)


def test_the_papers_recipe_is_printed_with_its_numbers() -> None:
    text = "; ".join(describe_recipe(load("sutskever14").training))
    for part in ("sgd", "0.7", "halved", "epoch 5", "sentences", "norm 5", "7.5"):
        assert part in text
