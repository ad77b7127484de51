"""One update: the recipe, over any number of replicas."""

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from nmt.config import ModelConfig, TrainingConfig
from nmt.distribution import mirrored_strategy
from nmt.errors import UserError
from nmt.models import Seq2Seq, build_model
from nmt.training.optimizers import make_optimizer
from nmt.training.step import StepResult, TrainStep

# Five pairs with repeated words; two replicas get three and two of them.
SOURCE = np.array(
    [[5, 5, 6, 3], [6, 3, 0, 0], [5, 4, 3, 0], [7, 7, 3, 0], [4, 3, 0, 0]], np.int32
)
TARGET = np.array([[4, 4, 3], [6, 3, 0], [3, 0, 0], [5, 4, 3], [4, 3, 0]], np.int32)
SIZES = {"embedding_size": 3, "hidden_size": 4, "num_layers": 1}
# The table of target words has gradients of two kinds: slices, and a whole matrix.
TIED = {
    "attention": "bahdanau",
    "attention_size": 2,
    "bidirectional": True,
    "deep_output": "maxout",
    "output_size": 3,
    "tied_embeddings": True,
}


def recipe(optimizer: str = "sgd", max_norm: float = 0.2) -> TrainingConfig:
    return TrainingConfig(
        optimizer=optimizer, divide_by="sentences", max_gradient_norm=max_norm
    )


def make(
    config: TrainingConfig,
    strategy: tf.distribute.Strategy | None = None,
    static_shapes: bool = False,
    **settings: Any,
) -> tuple[Seq2Seq, TrainStep]:
    """Returns a model whose weights are the same at every call, and its step."""
    strategy = strategy or tf.distribute.get_strategy()
    with strategy.scope():
        model = build_model(ModelConfig(**SIZES, dropout=0.0, **settings), 8, 7)
        optimizer = make_optimizer(config)
    generator = np.random.default_rng(3)
    model.set_weights([generator.normal(0, 0.5, w.shape) for w in model.weights])
    return model, TrainStep(model, optimizer, strategy, config, static_shapes)


def run(step: TrainStep, updates: int, rate: float = 0.7) -> StepResult:
    for _ in range(updates):
        result, made = step(tf.constant(SOURCE), tf.constant(TARGET), rate)
        assert made
    return result


def assert_equal_weights(one: Seq2Seq, other: Seq2Seq, tolerance: float) -> None:
    for expected, found in zip(one.weights, other.weights, strict=True):
        np.testing.assert_allclose(
            found.numpy(), expected.numpy(), atol=tolerance, err_msg=expected.path
        )


# Adam's steps do not shrink with the gradient: at a large rate rounding grows.
@pytest.mark.parametrize(
    ("optimizer", "rate", "replicas", "settings"),
    [("sgd", 0.7, 3, TIED), ("adam", 0.01, 2, {})],
)
def test_replicas_make_the_updates_of_one_device(
    optimizer: str, rate: float, replicas: int, settings: dict[str, Any]
) -> None:
    config = recipe(optimizer)
    one, step = make(config, **settings)
    result = run(step, 5, rate)
    assert float(result.gradient_norm) > config.max_gradient_norm
    devices = [f"CPU:{number}" for number in range(replicas)]
    several, step = make(config, mirrored_strategy(devices), **settings)
    mirrored = run(step, 5, rate)
    assert_equal_weights(one, several, 2e-6)
    np.testing.assert_allclose(mirrored.gradient_norm, result.gradient_norm, 1e-5)
    assert float(mirrored.sums.sentences) == len(SOURCE)


@pytest.mark.parametrize("settings", [{}, TIED])
def test_static_shapes_make_the_same_updates(settings: dict[str, Any]) -> None:
    dynamic, step = make(recipe(), **settings)
    run(step, 3)
    static, step = make(recipe(), static_shapes=True, **settings)
    run(step, 3)
    assert_equal_weights(dynamic, static, 1e-6)


def test_update_is_as_long_as_the_rescaled_gradient() -> None:
    model, step = make(recipe(max_norm=0.5))
    before = [weight.numpy() for weight in model.weights]
    result = run(step, 1, rate=0.1)
    moved = [w.numpy() - b for w, b in zip(model.weights, before, strict=True)]
    length = np.sqrt(sum(np.sum(np.square(each)) for each in moved))
    assert float(result.gradient_norm) > 0.5
    assert length == pytest.approx(0.1 * 0.5, rel=1e-5)


def test_gradient_is_divided_by_sentences_or_by_tokens() -> None:
    norms = {}
    for divisor in ("sentences", "tokens"):
        config = recipe()
        config.divide_by = divisor
        _, step = make(config)
        norms[divisor] = float(run(step, 1).gradient_norm)
    tokens = np.count_nonzero(TARGET)
    assert norms["sentences"] / norms["tokens"] == pytest.approx(tokens / len(TARGET))


def test_a_nonfinite_gradient_changes_nothing() -> None:
    model, step = make(recipe("adam"))
    model.decoder.projection.bias.assign(np.full(7, np.nan))
    before = [weight.numpy() for weight in model.weights]
    result, made = step(tf.constant(SOURCE), tf.constant(TARGET), 0.1)
    assert not made
    assert not np.isfinite(result.gradient_norm)
    for weight, expected in zip(model.weights, before, strict=True):
        np.testing.assert_array_equal(weight.numpy(), expected)


def test_one_graph_serves_all_lengths() -> None:
    _, step = make(recipe())
    for columns in range(3):
        wider = np.pad(SOURCE, [(0, 0), (0, columns)])
        step(tf.constant(wider), tf.constant(TARGET), 0.1)
    assert step._gradients.experimental_get_tracing_count() == 1


def test_an_unknown_divisor_is_refused() -> None:
    config = recipe()
    config.divide_by = "words"
    with pytest.raises(UserError, match="divide_by='words'"):
        make(config)
