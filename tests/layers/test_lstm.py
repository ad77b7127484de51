"""What is particular to the LSTM; the rest: `test_quick_layer`."""

from typing import Any

import pytest
import tensorflow as tf

from nmt.layers.lstm import LSTM

UNITS = 3
UNSUPPORTED = [
    {"activation": "relu"},
    {"recurrent_activation": "hard_sigmoid"},
    {"recurrent_dropout": 0.1},
    {"unroll": True},
    {"implementation": 1},
    {"use_cudnn": True},
]


@pytest.mark.parametrize("options", UNSUPPORTED)
def test_other_settings_are_left_to_keras(options: dict[str, Any]) -> None:
    assert LSTM(UNITS, **options).kernel_in_use == "keras"
    with pytest.raises(ValueError, match="kernel='quick'"):
        LSTM(UNITS, kernel="quick", **options)


def test_kernel_in_use_is_told() -> None:
    assert LSTM(UNITS).kernel_in_use == "quick"
    assert LSTM(UNITS, kernel="keras").kernel_in_use == "keras"
    with pytest.raises(ValueError, match="kernel must be one of"):
        LSTM(UNITS, kernel="slow")


def test_a_gpu_is_left_to_keras(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tf.config, "get_visible_devices", lambda kind: [kind])
    assert LSTM(UNITS).kernel_in_use == "cudnn"
    assert LSTM(UNITS, use_cudnn=False).kernel_in_use == "keras"
    assert LSTM(UNITS, kernel="quick").kernel_in_use == "quick"
