"""Strategies by name."""

import pytest
import tensorflow as tf

from nmt.config import DistributionConfig
from nmt.distribution import configure_devices, mirrored_strategy
from nmt.errors import UserError


def test_mirrored_has_a_replica_on_each_device() -> None:
    assert mirrored_strategy(["CPU:1", "CPU:2"]).num_replicas_in_sync == 2


def test_devices_cannot_change_once_they_are_used() -> None:
    tf.constant(0)
    with pytest.raises(UserError, match="logical_devices=2"):
        configure_devices(DistributionConfig(logical_devices=2))
