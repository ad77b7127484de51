"""Strategies by name."""

import pytest
import tensorflow as tf

from nmt.config import DistributionConfig, PlacementConfig
from nmt.distribution import configure_devices, mirrored_strategy
from nmt.distribution.strategy import replica_size
from nmt.errors import UserError


def test_mirrored_has_a_replica_on_each_device() -> None:
    assert mirrored_strategy(["CPU:1", "CPU:2"]).num_replicas_in_sync == 2


def test_devices_cannot_change_once_they_are_used() -> None:
    tf.constant(0)
    with pytest.raises(UserError, match="logical_devices=2"):
        configure_devices(DistributionConfig(logical_devices=2))


def test_a_tpu_that_there_is_not_is_one_line() -> None:
    with pytest.raises(UserError, match="tpu='local': no TPU can be used") as caught:
        configure_devices(DistributionConfig(strategy="tpu"))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "devices", "size"),
    [
        ({}, 8, 1),
        ({"replicas": 2}, 8, 4),
        ({"layers": (0, 1, 2, 3)}, 8, 4),
        ({"layers": (0, 1), "softmax_stages": (2,)}, 8, 3),
        ({"layers": (0, 5)}, 4, 4),
    ],
)
def test_a_replica_has_the_devices_that_it_needs(
    options: dict, devices: int, size: int
) -> None:
    replicas = options.pop("replicas", 0)
    config = DistributionConfig(strategy="mirrored", replicas=replicas)
    assert replica_size(config, PlacementConfig(**options), devices) == size
