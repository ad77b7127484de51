"""The hand-written gradients against central differences."""

from collections.abc import Iterator

import numpy as np
import pytest

from tests.reference import lstm, seq2seq
from tests.tolerance import assert_close

SOURCE = np.array([[5, 4, 4, 3], [4, 3, 0, 0]])
TARGET = np.array([[4, 3, 0], [5, 4, 3]])


def layers(random: np.random.Generator, widths: list[int]) -> list[lstm.Weights]:
    units = 3
    return [
        lstm.Weights(
            random.normal(size=(width, 4 * units)),
            random.normal(size=(units, 4 * units)),
            random.normal(size=4 * units),
        )
        for width in widths
    ]


def random_parameters() -> seq2seq.Parameters:
    random = np.random.default_rng(1)
    return seq2seq.Parameters(
        source_embeddings=random.normal(size=(6, 2)),
        target_embeddings=random.normal(size=(7, 2)),
        encoder=layers(random, [2, 3]),
        decoder=layers(random, [2, 3]),
        projection=random.normal(size=(3, 7)),
        projection_bias=random.normal(size=7),
    )


def arrays(parameters: seq2seq.Parameters) -> Iterator[np.ndarray]:
    for value in parameters:
        if isinstance(value, np.ndarray):
            yield value
        else:
            for weights in value:
                yield from weights


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_gradients_are_those_of_the_loss(smoothing: float) -> None:
    parameters = random_parameters()
    _, gradients = seq2seq.loss_and_gradients(parameters, SOURCE, TARGET, smoothing)

    def loss() -> float:
        return seq2seq.loss_and_gradients(parameters, SOURCE, TARGET, smoothing)[0]

    step = 1e-5
    for weight, gradient in zip(arrays(parameters), arrays(gradients), strict=True):
        measured = np.zeros_like(weight)
        for index in np.ndindex(weight.shape):
            kept = weight[index]
            weight[index] = kept + step
            above = loss()
            weight[index] = kept - step
            measured[index] = (above - loss()) / (2 * step)
            weight[index] = kept
        np.testing.assert_allclose(gradient, measured, atol=1e-7)


def test_padding_changes_nothing() -> None:
    parameters = random_parameters()
    plain = seq2seq.loss_and_gradients(parameters, SOURCE, TARGET)
    wider = [np.pad(ids, [(0, 0), (0, 2)]) for ids in (SOURCE, TARGET)]
    padded = seq2seq.loss_and_gradients(parameters, *wider)
    assert_close(padded[0], plain[0], "float64")
    for ours, theirs in zip(arrays(padded[1]), arrays(plain[1]), strict=True):
        assert_close(ours, theirs, "float64")
