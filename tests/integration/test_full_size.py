"""The LSTM paper's model at its real size, spread over eight devices."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]

# In a process of its own, whose memory is then known.
PROGRAM = """
import collections, json, resource
import numpy as np
import tensorflow as tf
from configs.sutskever14 import get_config
from nmt.config import PlacementConfig
from nmt.distribution import configure_devices, make_layout
from nmt.models import build_model
from nmt.training.optimizers import make_optimizer
from nmt.training.step import TrainStep

config = get_config()
config.distribution.logical_devices = 8
config.placement = PlacementConfig(
    layers=(0, 1, 2, 3), softmax_shards=4, softmax_recompute=True, chunk_length=5
)
configure_devices(config.distribution)
layout = make_layout(config.distribution, config.placement, config.model.num_layers)
data = config.data
with layout.scope():
    model = build_model(
        config.model,
        data.source_vocabulary_size,
        data.target_vocabulary_size,
        layout.placement,
    )
    optimizer = make_optimizer(config.training)
    step = TrainStep(model, optimizer, layout.strategy, config.training)
    generator = np.random.default_rng(1)
    source = generator.integers(4, data.source_vocabulary_size, (4, 10))
    target = generator.integers(4, data.target_vocabulary_size, (4, 10))
    source[:, -1] = target[:, -1] = 3
    batch = tf.constant(source, tf.int32), tf.constant(target, tf.int32)
    losses = []
    for _ in range(2):
        result, made = step(*batch, config.training.learning_rate)
        assert made
        losses.append(float(result.sums.nats) / float(result.sums.tokens))
sizes = collections.Counter()
for weight in model.weights:
    device = tf.DeviceSpec.from_string(weight.value.device).device_index
    sizes[device] += int(np.prod(weight.shape))
print(json.dumps({
    "parameters": model.count_params(),
    "nats": losses,
    "sizes": [sizes[device] for device in range(8)],
    "gibibytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
}))
"""


@pytest.mark.slow
def test_an_update_of_the_paper_on_eight_devices_fits_into_20_gibibytes() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "NMT_DATA": "data"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["parameters"] == 384_112_000
    # Random words at first, of 80,000; less once it has seen them.
    first, second = found["nats"]
    assert second < first
    assert 11 < first < 12.5
    # A layer of encoder and decoder, each 4 x 1000 x 2001; a quarter of the words.
    assert found["sizes"][:4] == [2 * 4 * 1000 * 2001] * 4
    quarter = (160_000 + 80_000) * 1000 // 4 + 80_000 * 1001 // 4
    assert found["sizes"][4:] == [quarter] * 4
    assert found["gibibytes"] < 20
