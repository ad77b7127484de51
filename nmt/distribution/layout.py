"""The devices of a run: replicas of the model, and the stages of each."""

import contextlib
import dataclasses
from collections.abc import Iterator

import tensorflow as tf

from nmt.config import DistributionConfig, PlacementConfig
from nmt.distribution.placement import Placement, check_placement, make_placement
from nmt.distribution.stages import DeviceGrid
from nmt.distribution.strategy import mirrored_strategy
from nmt.errors import UserError


@dataclasses.dataclass(frozen=True)
class Layout:
    """How a run uses the devices.

    Attributes:
        strategy: Where the replicas are.
        placement: The stages of a replica.
        grid: The devices of all stages; None: each replica is on one device.
    """

    strategy: tf.distribute.Strategy
    placement: Placement
    grid: DeviceGrid | None

    @contextlib.contextmanager
    def scope(self) -> Iterator[None]:
        """Makes stages mean these devices; a model is made and runs inside."""
        with self.grid.scope() if self.grid else contextlib.nullcontext():
            yield


def make_layout(
    config: DistributionConfig, placement: PlacementConfig, num_layers: int
) -> Layout:
    """Returns the layout that the settings ask for, on the devices that there are.

    Devices are all GPUs, or all CPUs (logical ones included) where there is no GPU.
    `default` has one replica. `mirrored` cuts the devices into `config.replicas` equal
    parts, or into as many as there are devices for: with nothing placed, each device
    has a replica. Devices left over are not used.

    Args:
        config: Strategy and replicas.
        placement: Stages of a replica.
        num_layers: Layers of the encoder, and of the decoder.

    Raises:
        UserError: no such strategy, a device that there is not, or settings that do not
            go together.
    """
    found = tf.config.list_logical_devices("GPU")
    devices = [each.name for each in found or tf.config.list_logical_devices("CPU")]
    if config.strategy == "default":
        stages = make_placement(placement, num_layers, devices)
        grid = DeviceGrid([devices]) if stages.num_stages > 1 else None
        return Layout(tf.distribute.get_strategy(), stages, grid)
    if config.strategy != "mirrored":
        raise UserError(
            f"distribution.strategy={config.strategy!r}: choose 'default' or 'mirrored'"
        )
    size = _replica_size(config, placement, len(devices))
    starts = range(0, len(devices) - size + 1, size)
    rows = [devices[start : start + size] for start in starts]
    stages = make_placement(placement, num_layers, rows[0])
    grid = DeviceGrid(rows) if stages.num_stages > 1 else None
    return Layout(mirrored_strategy([row[0] for row in rows]), stages, grid)


def _replica_size(
    config: DistributionConfig, placement: PlacementConfig, devices: int
) -> int:
    """Returns how many devices a replica has."""
    check_placement(placement)
    if config.replicas > devices:
        raise UserError(
            f"distribution.replicas={config.replicas}: there are {devices} devices"
        )
    if config.replicas:
        return devices // config.replicas
    if placement.auto:
        raise UserError(
            "placement.auto with distribution.strategy=mirrored: give "
            "distribution.replicas, which share the devices"
        )
    needed = 1 + max((*placement.layers, *placement.softmax_stages), default=0)
    # Too few devices for one replica: what is missing is named with the placement.
    return min(needed, devices)
