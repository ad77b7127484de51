"""Strategies by name."""

import pytest
import tensorflow as tf

from nmt.config import DistributionConfig
from nmt.distribution import configure_devices, make_strategy
from nmt.errors import UserError


def test_default_is_one_device() -> None:
    assert make_strategy(DistributionConfig()).num_replicas_in_sync == 1


def test_mirrored_has_a_replica_on_each_device() -> None:
    strategy = make_strategy(DistributionConfig(strategy="mirrored"))
    assert strategy.num_replicas_in_sync == len(tf.config.list_logical_devices("CPU"))


def test_an_unknown_strategy_is_refused() -> None:
    with pytest.raises(UserError, match="strategy='tpu'"):
        make_strategy(DistributionConfig(strategy="tpu"))


def test_devices_cannot_change_once_they_are_used() -> None:
    tf.constant(0)
    with pytest.raises(UserError, match="logical_devices=2"):
        configure_devices(DistributionConfig(logical_devices=2))
