"""Stored weights: how far they are from the true ones, and that graphs read them."""

import pathlib
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

from nmt.decoding import Ensemble
from nmt.export import ServingModule, ServingOptions
from nmt.export.compression import CompressedWeights, bytes_of
from nmt.models.run_folder import LoadedModel
from tests.tiny_models import random_model

LINES = ["w1 w2 w3", "", "w4 never w5 w6 w7", "w2"]
KINDS: dict[str, dict[str, Any]] = {
    "lstm": {"embedding_size": 40, "hidden_size": 32},
    "attention": {
        "cell": "gru",
        "attention": "bahdanau",
        "hidden_size": 32,
        "embedding_size": 40,
    },
}


class Table(keras.Model):
    """One weight."""

    def __init__(self, value: np.ndarray) -> None:
        super().__init__()
        self.table = self.add_weight(shape=value.shape, name="table")
        self.table.assign(value)
        self.built = True


def restored(value: np.ndarray, kind: str) -> np.ndarray:
    model = Table(value)
    with CompressedWeights([model], kind).scope():
        return tf.convert_to_tensor(model.table).numpy()


def test_errors_are_half_a_step_of_the_last_bit() -> None:
    value = np.random.default_rng(0).normal(size=(64, 32)).astype(np.float32)
    value[:, 3] = 0.0
    steps = np.abs(value).max(axis=0) / 127
    assert np.all(np.abs(restored(value, "int8") - value) <= steps / 2 * 1.001)
    assert np.all(restored(value, "int8")[:, 3] == 0)
    error = np.abs(restored(value, "float16") - value)
    assert np.all(error <= np.abs(value) * 2.0**-11 + 2.0**-25)


def test_weights_beyond_float16_stay_finite() -> None:
    assert np.all(np.isfinite(restored(np.full((64, 32), 1e6, "f"), "float16")))


@pytest.mark.parametrize("kind", ["float16", "int8"])
def test_small_weights_are_kept(kind: str) -> None:
    value = np.random.default_rng(0).normal(size=(8, 8)).astype(np.float32)
    np.testing.assert_array_equal(restored(value, kind), value)


@pytest.mark.parametrize(("kind", "share"), [("float16", 0.5), ("int8", 0.25)])
def test_bytes_are_those_of_the_bits(kind: str, share: float) -> None:
    model = Table(np.ones((1000, 100)))
    stored = CompressedWeights([model], kind).bytes
    scales = 400 if kind == "int8" else 0
    assert stored == share * bytes_of([model]) + scales


def all_answers(found: Any) -> list[dict[str, tf.Tensor]]:
    source = tf.constant(LINES)
    target = tf.constant(["w1", "", "w3 w4", "w19 w18 w17"])
    answers = [
        found["serving_default"](source=source),
        found["n_best"](source=source),
        found["score"](source=source, target=target),
        found["encode"](source=source),
    ]
    if "align" in found:
        answers.append(found["align"](source=source, target=target))
    return answers


def with_restored_weights(loaded: LoadedModel, kind: str) -> None:
    with CompressedWeights([loaded.model], kind).scope():
        values = [tf.convert_to_tensor(each) for each in loaded.model.weights]
    for weight, value in zip(loaded.model.weights, values, strict=True):
        weight.assign(value)


@pytest.mark.parametrize(
    ("kind", "compression"), [("lstm", "float16"), ("attention", "int8")]
)
def test_served_graphs_are_those_of_the_restored_weights(
    kind: str, compression: str, tmp_path: pathlib.Path
) -> None:
    loaded = random_model(5, **KINDS[kind])
    # A beam of one: both searches are the same one.
    options = ServingOptions(beam_size=1).resolved(loaded.config)
    module = ServingModule(Ensemble([loaded]), options, compression)
    tf.saved_model.save(module, str(tmp_path / "small"), module.signatures())
    answers = all_answers(tf.saved_model.load(str(tmp_path / "small")).signatures)
    with_restored_weights(loaded, compression)
    plain = ServingModule(Ensemble([loaded]), options)
    for found, expected in zip(answers, all_answers(plain.signatures()), strict=True):
        assert found.keys() == expected.keys()
        for name, value in expected.items():
            if value.dtype == tf.float32:
                np.testing.assert_allclose(found[name], value, atol=1e-4, rtol=1e-4)
            else:
                np.testing.assert_array_equal(found[name], value)
    tf.saved_model.save(plain, str(tmp_path / "plain"), plain.signatures())
    sizes = [
        sum(each.stat().st_size for each in (tmp_path / name / "variables").iterdir())
        for name in ("small", "plain")
    ]
    assert sizes[0] < 0.75 * sizes[1]
