"""What is particular to the GRU; the rest: `test_quick_layer`."""

from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

from nmt.layers.gru import GRU
from tests.tolerance import assert_close

UNITS = 3
UNSUPPORTED = [
    {"reset_after": True},
    {"activation": "relu"},
    {"recurrent_activation": "hard_sigmoid"},
    {"recurrent_dropout": 0.1},
    {"unroll": True},
    {"implementation": 1},
]


@pytest.mark.parametrize("options", UNSUPPORTED)
def test_other_settings_are_left_to_keras(options: dict[str, Any]) -> None:
    assert GRU(UNITS, **options).kernel_in_use == "keras"
    with pytest.raises(ValueError, match="kernel='quick'"):
        GRU(UNITS, kernel="quick", **options)


def test_kernel_in_use_is_told() -> None:
    assert GRU(UNITS).kernel_in_use == "quick"
    assert GRU(UNITS, kernel="keras").kernel_in_use == "keras"
    with pytest.raises(ValueError, match="kernel must be one of"):
        GRU(UNITS, kernel="slow")


def test_every_device_has_the_papers_reset_gate(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tf.config, "get_visible_devices", lambda kind: [kind])
    assert GRU(UNITS).kernel_in_use == "quick"
    assert not GRU(UNITS).reset_after


def test_reset_after_is_kerass_own_layer() -> None:
    sequences = tf.random.normal([2, 4, 5])
    ours, theirs = GRU(UNITS, reset_after=True), keras.layers.GRU(UNITS)
    for layer in (ours, theirs):
        layer.build(sequences.shape)
    ours.set_weights(theirs.get_weights())
    assert_close(ours(sequences), theirs(sequences), "float32")
    copy = GRU.from_config(ours.get_config())
    assert copy.reset_after
    np.testing.assert_array_equal(copy.units, UNITS)
