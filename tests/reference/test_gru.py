"""The GRU against Keras, whose update gate is the other way round."""

import keras
import numpy as np

from tests.reference import gru
from tests.tolerance import assert_close

MASK = np.array([[1, 1, 1, 1], [1, 1, 0, 0], [0, 0, 0, 0]], bool)


def random_weights(inputs: int, units: int) -> gru.Weights:
    random = np.random.default_rng(3)
    return gru.Weights(
        random.normal(size=(inputs, 3 * units)),
        random.normal(size=(units, 3 * units)),
        random.normal(size=3 * units),
    )


def keras_states(
    x: np.ndarray, h: np.ndarray, weights: gru.Weights, *, backwards: bool
) -> np.ndarray:
    units = len(weights.U)
    layer = keras.layers.GRU(
        units,
        reset_after=False,
        return_sequences=True,
        go_backwards=backwards,
        use_cudnn=False,
        dtype="float64",
    )
    layer.build(x.shape)
    # h' = z*h + (1 - z)*h~ there, and sigmoid(-a) = 1 - sigmoid(a).
    sign = np.repeat([-1.0, 1.0, 1.0], units)
    layer.set_weights([sign * weight for weight in weights])
    states = layer(x, mask=MASK, initial_state=h)
    return keras.ops.convert_to_numpy(states)


def random_run() -> tuple[np.ndarray, np.ndarray, gru.Weights]:
    random = np.random.default_rng(4)
    return (
        random.normal(size=(3, 4, 2)),
        random.normal(size=(3, 5)),
        random_weights(2, 5),
    )


def test_sequence_is_that_of_keras() -> None:
    x, h, weights = random_run()
    hs = gru.sequence(x, h, weights, MASK)
    assert_close(hs[:, 0], h, "float64")
    for sentence in range(2):
        theirs = keras_states(x, h, weights, backwards=False)[sentence]
        assert_close(hs[sentence, 1:], theirs, "float64")
    assert_close(hs[2], np.stack([h[2]] * 5), "float64")


def test_reversed_sequence_is_that_of_keras() -> None:
    x, h, weights = random_run()
    hs = gru.sequence_reversed(x, h, weights, MASK)
    theirs = keras_states(x, h, weights, backwards=True)[:, ::-1]
    assert_close(hs[0, :-1], theirs[0], "float64")
    assert_close(hs[1, :2], theirs[1, :2], "float64")
    assert_close(hs[1, 2:], np.stack([h[1]] * 3), "float64")
    assert_close(hs[2], np.stack([h[2]] * 5), "float64")


def test_padding_changes_nothing() -> None:
    x, h, weights = random_run()
    wider, mask = np.pad(x, [(0, 0), (0, 2), (0, 0)]), np.pad(MASK, [(0, 0), (0, 2)])
    assert_close(
        gru.sequence(wider, h, weights, mask)[:, :5],
        gru.sequence(x, h, weights, MASK),
        "float64",
    )
    assert_close(
        gru.sequence_reversed(wider, h, weights, mask)[:, :5],
        gru.sequence_reversed(x, h, weights, MASK),
        "float64",
    )
