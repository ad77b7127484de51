"""What comes between state and softmax."""

import numpy as np
import pytest

from nmt.models import DeepOutput
from tests.reference import maxout
from tests.tolerance import assert_close

random = np.random.default_rng(4)
# State, last word and context, for all positions of two sentences.
PARTS = [random.normal(size=(2, 3, size)).astype(np.float32) for size in (4, 5, 6)]


def weights(layer: DeepOutput) -> maxout.Weights:
    rows = np.split(layer.kernel.numpy().astype(float), [4, 9])
    return maxout.Weights(*rows, layer.bias.numpy().astype(float))


def test_maxout_equals_the_reference() -> None:
    layer = DeepOutput(7, bias_initializer="random_normal")
    outputs = layer(*PARTS)
    assert layer.kernel.shape == (15, 14)
    expected = maxout.deep_output(*PARTS, weights(layer))
    assert_close(outputs, expected, "float32")


def test_tanh_equals_numpy() -> None:
    layer = DeepOutput(7, "tanh", bias_initializer="random_normal")
    outputs = layer(*PARTS)
    kernel, bias = layer.kernel.numpy(), layer.bias.numpy()
    expected = np.tanh(np.concatenate(PARTS, axis=-1) @ kernel + bias)
    assert_close(outputs, expected, "float32")


@pytest.mark.parametrize("activation", ["maxout", "tanh"])
def test_one_position_is_computed_like_all(activation: str) -> None:
    layer = DeepOutput(7, activation)
    outputs = layer(*PARTS)
    assert_close(layer(*(part[:, 1] for part in PARTS)), outputs[:, 1], "float32")


def test_other_activations_are_refused() -> None:
    with pytest.raises(ValueError, match="activation must be one of"):
        DeepOutput(7, "relu")


def test_configuration_makes_an_equal_layer() -> None:
    layer = DeepOutput(7, "tanh", kernel_initializer="ones")
    assert DeepOutput.from_config(layer.get_config()).get_config() == layer.get_config()
