"""Replicas and stages on the devices that there are: eight CPUs."""

import types
from typing import Any

import pytest
import tensorflow as tf

from nmt.config import DistributionConfig, PlacementConfig
from nmt.distribution import Layout, make_layout, variables_on
from nmt.distribution.layout import worker_rows
from nmt.errors import UserError


def layout(
    placement: dict[str, Any] | None = None, num_layers: int = 4, **settings: Any
) -> Layout:
    return make_layout(
        DistributionConfig(**settings), PlacementConfig(**placement or {}), num_layers
    )


def numbers(found: Layout) -> list[list[int]]:
    assert found.grid is not None
    specs = [map(tf.DeviceSpec.from_string, row) for row in found.grid.devices]
    return [[spec.device_index for spec in row] for row in specs]


def test_default_is_one_replica_on_one_device() -> None:
    found = layout()
    assert found.strategy.num_replicas_in_sync == 1
    assert found.grid is None
    with found.scope(), variables_on(3):
        assert tf.Variable(1.0).device.endswith("CPU:0")


def test_default_has_stages_on_all_devices() -> None:
    found = layout({"auto": True})
    assert found.placement.shards == (4, 5, 6, 7)
    assert numbers(found) == [list(range(8))]
    with found.scope(), variables_on(3):
        assert tf.Variable(1.0).device.endswith("CPU:3")


def test_mirrored_has_a_replica_on_each_device() -> None:
    found = layout(strategy="mirrored")
    assert found.strategy.num_replicas_in_sync == 8
    assert found.grid is None


@pytest.mark.parametrize(
    ("settings", "placement", "rows"),
    [
        ({}, {"layers": (0, 1, 2, 3)}, [[0, 1, 2, 3], [4, 5, 6, 7]]),
        ({}, {"layers": (0, 1, 2, 2)}, [[0, 1, 2], [3, 4, 5]]),
        ({"replicas": 2}, {"auto": True}, [[0, 1, 2, 3], [4, 5, 6, 7]]),
        ({"replicas": 1}, {"layers": (0, 1, 0, 1)}, [list(range(8))]),
        (
            {"replicas": 2},
            {"layers": (0, 0, 1, 1), "softmax_shards": 2},
            [[0, 1, 2, 3], [4, 5, 6, 7]],
        ),
    ],
)
def test_replicas_have_several_devices_each(
    settings: dict[str, Any], placement: dict[str, Any], rows: list[list[int]]
) -> None:
    found = layout(placement, strategy="mirrored", **settings)
    assert numbers(found) == rows
    assert found.strategy.num_replicas_in_sync == len(rows)


@pytest.mark.parametrize(
    ("settings", "placement", "message"),
    [
        ({"strategy": "parameter_server"}, {}, "strategy='parameter_server'"),
        ({}, {"layers": (0, 1, 2, 8)}, "no device CPU:8 in a replica of 8"),
        ({"strategy": "mirrored"}, {"layers": (0, 1, 2, 8)}, "no device CPU:8"),
        ({"strategy": "mirrored", "replicas": 9}, {}, "replicas=9: there are 8"),
        (
            {"strategy": "mirrored", "replicas": 2},
            {"layers": (0, 1, 2, 4)},
            "no device CPU:4 in a replica of 4",
        ),
        ({"strategy": "mirrored"}, {"auto": True}, "give distribution.replicas"),
    ],
)
def test_what_the_devices_cannot_do_is_refused(
    settings: dict[str, Any], placement: dict[str, Any], message: str
) -> None:
    with pytest.raises(UserError, match=message):
        layout(placement, **settings)


def test_replicas_of_a_host_share_out_its_other_devices() -> None:
    """The strategy has its replicas on a host's first devices."""
    first = types.SimpleNamespace(worker_devices=("GPU:0", "GPU:1"))
    strategy = types.SimpleNamespace(extended=first)
    devices = [f"GPU:{number}" for number in range(7)]
    assert worker_rows(strategy, devices) == [
        ["GPU:0", "GPU:2", "GPU:3"],
        ["GPU:1", "GPU:4", "GPU:5"],
    ]
