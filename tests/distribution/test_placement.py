"""From settings to the stage of every layer and slice."""

from typing import Any

import pytest

from nmt.config import PlacementConfig
from nmt.distribution import make_placement
from nmt.errors import UserError


def place(devices: int, **settings: Any) -> tuple[Any, Any]:
    names = [f"/device:GPU:{number}" for number in range(devices)]
    found = make_placement(PlacementConfig(**settings), 4, names)
    return found.layers, found.shards


def test_the_paper_has_layers_and_softmax_on_devices_of_their_own() -> None:
    config = PlacementConfig(layers=(0, 1, 2, 3), softmax_shards=4)
    names = [f"CPU:{number}" for number in range(8)]
    found = make_placement(config, 4, names)
    assert (found.layers, found.shards) == ((0, 1, 2, 3), (4, 5, 6, 7))
    assert found.num_stages == 8


@pytest.mark.parametrize(
    ("devices", "settings", "expected"),
    [
        # Without placement all is on the first device.
        (8, {}, ((0, 0, 0, 0), (0,))),
        (1, {"softmax_shards": 3}, ((0, 0, 0, 0), (0, 0, 0))),
        # Slices are on devices without a layer, in turn.
        (3, {"softmax_shards": 3}, ((0, 0, 0, 0), (1, 2, 1))),
        # Every device has a layer, so that all have slices.
        (2, {"softmax_shards": 3, "auto": True}, ((0, 0, 1, 1), (0, 1, 0))),
        (8, {"auto": True}, ((0, 1, 2, 3), (4, 5, 6, 7))),
        (6, {"auto": True}, ((0, 1, 2, 3), (4, 5))),
        (4, {"auto": True}, ((0, 1, 2, 3), (0, 1, 2, 3))),
        (3, {"auto": True}, ((0, 0, 1, 2), (0, 1, 2))),
        (1, {"auto": True}, ((0, 0, 0, 0), (0,))),
        (
            4,
            {"softmax_shards": 2, "softmax_stages": (3, 0)},
            ((0, 0, 0, 0), (3, 0)),
        ),
    ],
)
def test_devices_are_shared_out(
    devices: int, settings: dict[str, Any], expected: Any
) -> None:
    assert place(devices, **settings) == expected


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"layers": (0, 1, 2)}, "gives 3 layers a device; the model has 4"),
        ({"layers": (0, 1, 2, 5)}, r"layers=\(0, 1, 2, 5\): there is no device GPU:5"),
        ({"layers": (0, 1, 2, -1)}, "devices count from 0"),
        ({"softmax_stages": (4,)}, "softmax_stages=.*there is no device GPU:4"),
        ({"softmax_shards": 2, "softmax_stages": (1,)}, "gives 1 slices a device"),
        ({"softmax_shards": 0}, "must be at least 1"),
        ({"chunk_length": -1}, "must be at least 0"),
        ({"auto": True, "layers": (0, 1, 2, 3)}, "auto chooses all devices"),
    ],
)
def test_what_does_not_fit_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        make_placement(
            PlacementConfig(**settings), 4, [f"/device:GPU:{n}" for n in range(4)]
        )
