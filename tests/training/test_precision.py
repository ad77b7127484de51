"""Trainings in mixed precision."""

import pathlib

import keras
import numpy as np
import pytest
import tensorflow as tf

from nmt.config import ModelConfig, TrainingConfig
from nmt.models import Seq2Seq, build_model
from nmt.training.optimizers import make_optimizer
from nmt.training.precision import precision_scope
from nmt.training.run import train
from nmt.training.step import StepResult, TrainStep
from tests.training import toy

SOURCE = tf.constant([[5, 5, 6, 3], [6, 3, 0, 0], [7, 4, 3, 0]], tf.int32)
TARGET = tf.constant([[4, 4, 3], [6, 3, 0], [3, 0, 0]], tf.int32)
ATTENTION = {
    "attention": "bahdanau",
    "attention_size": 4,
    "bidirectional": True,
    "deep_output": "maxout",
    "output_size": 6,
    "layer_norm": True,
    "residual": True,
    "cell": "gru",
}


def model_in(precision: str, options: dict) -> Seq2Seq:
    sizes = {"embedding_size": 6, "hidden_size": 8, "num_layers": 2, "dropout": 0.0}
    with precision_scope(precision):
        model = build_model(ModelConfig(**sizes, **options), 8, 7)
    generator = np.random.default_rng(3)
    model.set_weights([generator.normal(0, 0.3, each.shape) for each in model.weights])
    return model


def updated(model: Seq2Seq, scale: float) -> tuple[StepResult, bool, list[np.ndarray]]:
    recipe = TrainingConfig(optimizer="sgd", max_gradient_norm=0.0)
    step = TrainStep(
        model, make_optimizer(recipe), tf.distribute.get_strategy(), recipe
    )
    result, made = step(SOURCE, TARGET, 1.0, scale)
    return result, made, [each.numpy() for each in model.trainable_variables]


def test_the_policy_comes_back() -> None:
    with pytest.raises(KeyError), precision_scope("float16"):
        raise KeyError
    assert keras.config.dtype_policy().name == "float32"


@pytest.mark.parametrize("options", [{}, ATTENTION], ids=["none", "bahdanau"])
@pytest.mark.parametrize(("precision", "bits"), [("bfloat16", 8), ("float16", 11)])
def test_updates_are_near_those_of_float32(
    precision: str, bits: int, options: dict
) -> None:
    expected, _, weights = updated(model_in("float32", options), 1.0)
    model = model_in(precision, options)
    assert {each.dtype for each in model.trainable_variables} == {"float32"}
    assert model.compute_dtype == precision
    result, made, found = updated(model, 1024.0)
    assert made
    # Some products one after the other, each rounded.
    tolerance = 16 * 2.0**-bits
    np.testing.assert_allclose(result.sums.loss, expected.sums.loss, rtol=tolerance)
    np.testing.assert_allclose(
        result.gradient_norm, expected.gradient_norm, rtol=tolerance
    )
    for name, each, other in zip(
        model.trainable_variables, found, weights, strict=True
    ):
        error = np.linalg.norm(each - other) / np.linalg.norm(other)
        assert error < tolerance, name.path


def test_a_factor_of_the_loss_changes_no_update() -> None:
    _, _, expected = updated(model_in("float32", {}), 1.0)
    _, made, found = updated(model_in("float32", {}), 512.0)
    assert made
    for each, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(each, other, rtol=1e-6, atol=1e-7)


def test_a_loss_beyond_float16_makes_no_update() -> None:
    model = model_in("float16", {})
    before = [each.numpy() for each in model.trainable_variables]
    _, made, after = updated(model, 2.0**24)
    assert not made
    for each, other in zip(after, before, strict=True):
        np.testing.assert_array_equal(each, other)


@pytest.mark.parametrize("precision", ["bfloat16", "float16"])
def test_a_whole_training_with_evaluation(
    precision: str, tmp_path: pathlib.Path
) -> None:
    toy.write_text(tmp_path)
    config = toy.settings(tmp_path)
    config.training.precision, config.training.max_updates = precision, 4
    config.training.evaluate_every = 2
    train(config, tmp_path / "run")
    assert (tmp_path / "run" / "best").is_dir()
