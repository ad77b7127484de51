"""Updates and searches that XLA compiles, once a shape."""

import pathlib
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from nmt.config import DistributionConfig, ModelConfig, PlacementConfig, TrainingConfig
from nmt.decoding import beam_search
from nmt.distribution import make_layout
from nmt.errors import UserError
from nmt.models import Seq2Seq, build_model
from nmt.training.checks import check_config
from nmt.training.optimizers import make_optimizer
from nmt.training.run import train
from nmt.training.step import TrainStep
from tests.training import toy

LENGTHS = (3, 5, 3)
KINDS: dict[str, dict[str, Any]] = {
    "none": {"num_layers": 2},
    "bahdanau": {
        "num_layers": 1,
        "attention": "bahdanau",
        "attention_size": 5,
        "bidirectional": True,
        "deep_output": "maxout",
        "output_size": 6,
        "cell": "gru",
    },
}


def batches() -> list[tuple[tf.Tensor, tf.Tensor]]:
    """Returns batches of two shapes."""
    generator = np.random.default_rng(1)

    def side(length: int) -> tf.Tensor:
        ids = generator.integers(4, 8, (4, length))
        for row, end in enumerate(generator.integers(0, length, 4)):
            ids[row, end], ids[row, end + 1 :] = 3, 0
        return tf.constant(ids, tf.int32)

    return [(side(length), side(length + 1)) for length in LENGTHS]


def make(
    kind: str, jit: bool, devices: DistributionConfig | None = None
) -> tuple[Seq2Seq, TrainStep]:
    sizes = {"embedding_size": 6, "hidden_size": 8, "dropout": 0.0}
    config = ModelConfig(**sizes, **KINDS[kind])
    layout = make_layout(
        devices or DistributionConfig(), PlacementConfig(), config.num_layers
    )
    recipe = TrainingConfig(optimizer="sgd", jit_compile=jit)
    with layout.strategy.scope():
        model = build_model(config, 9, 9)
        optimizer = make_optimizer(recipe)
    generator = np.random.default_rng(3)
    model.set_weights([generator.normal(0, 0.5, each.shape) for each in model.weights])
    step = TrainStep(model, optimizer, layout.strategy, recipe, static_shapes=True)
    return model, step


@pytest.mark.parametrize("kind", KINDS)
def test_compiled_updates_are_the_plain_ones(kind: str) -> None:
    (plain, plain_step), (compiled, step) = make(kind, False), make(kind, True)
    for source, target in batches():
        scale = tf.constant(1.0)
        expected = plain_step._gradients(source, target, scale)
        found = step._gradients(source, target, scale)
        np.testing.assert_allclose(found[0].sums.loss, expected[0].sums.loss, rtol=1e-5)
        for each, other in zip(found[1], expected[1], strict=True):
            other = tf.convert_to_tensor(other)
            size = np.max(np.abs(other))
            np.testing.assert_allclose(
                tf.convert_to_tensor(each), other, atol=1e-5 * size
            )
        plain_step(source, target, 0.5)
        step(source, target, 0.5)
    # Three batches of two shapes.
    assert (plain_step.compilations, step.compilations) == (0, 2)
    for each, other in zip(compiled.weights, plain.weights, strict=True):
        np.testing.assert_allclose(each.numpy(), other.numpy(), rtol=1e-4, atol=1e-5)


def test_replicas_compile_their_own_part() -> None:
    two = DistributionConfig(strategy="mirrored", replicas=2)
    (one, one_step), (several, step) = make("none", False), make("none", True, two)
    for source, target in batches()[:1]:
        one_step(source, target, 0.5)
        step(source, target, 0.5)
    for each, other in zip(several.weights, one.weights, strict=True):
        np.testing.assert_allclose(each.numpy(), other.numpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("beam_size", [1, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_searches_compile_once_a_shape(kind: str, beam_size: int) -> None:
    model, _ = make(kind, False)
    traces = []

    def search(source: tf.Tensor, compact: bool) -> Any:
        traces.append(compact)
        start = model.encode(source)
        return beam_search(
            model.step,
            start.state,
            tf.fill([source.shape[0]], 7),
            beam_size,
            bos_id=2,
            eos_id=3,
            memory=start.memory,
            longest=7,
            compact=compact,
        )

    compiled = tf.function(search, jit_compile=True)
    for source, _ in batches():
        found, expected = compiled(source, False), search(source, True)
        np.testing.assert_array_equal(found.ids, expected.ids)
        np.testing.assert_allclose(found.log_probs, expected.log_probs, atol=2e-5)
    assert traces.count(False) == 2


def test_a_compiled_training_from_settings(tmp_path: pathlib.Path) -> None:
    toy.write_text(tmp_path)
    config = toy.settings(tmp_path)
    config.training.jit_compile, config.training.max_updates = True, 3
    config.batching.bucket_boundaries = (8,)
    train(config, tmp_path / "run")
    assert (tmp_path / "run" / "last").is_dir()


@pytest.mark.parametrize(
    ("boundaries", "layers", "message"),
    [((), (), "bucket_boundaries"), ((8,), (0,), "leave out placement")],
)
def test_what_cannot_be_compiled_is_refused(
    boundaries: tuple[int, ...], layers: tuple[int, ...], message: str
) -> None:
    config = toy.settings(pathlib.Path())
    config.training.jit_compile = True
    config.batching.bucket_boundaries = boundaries
    config.placement.layers = layers
    with pytest.raises(UserError, match=message):
        check_config(config)
