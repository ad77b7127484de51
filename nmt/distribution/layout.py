"""The devices of a run: replicas of the model, and the stages of each."""

import contextlib
import dataclasses
from collections.abc import Iterator, Sequence

import tensorflow as tf

from nmt.config import DistributionConfig, PlacementConfig
from nmt.distribution.cluster import Cluster
from nmt.distribution.placement import Placement, make_placement
from nmt.distribution.stages import DeviceGrid
from nmt.distribution.strategy import mirrored_strategy, replica_size
from nmt.errors import UserError


@dataclasses.dataclass(frozen=True)
class Layout:
    """How a run uses the devices.

    Attributes:
        strategy: Where the replicas are.
        placement: The stages of a replica.
        grid: The devices of all stages; None: each replica is on one device.
        cluster: The processes of the run.
    """

    strategy: tf.distribute.Strategy
    placement: Placement
    grid: DeviceGrid | None
    cluster: Cluster = dataclasses.field(default_factory=Cluster)

    @contextlib.contextmanager
    def scope(self) -> Iterator[None]:
        """Makes stages mean these devices; a model is made and runs inside."""
        with self.grid.scope() if self.grid else contextlib.nullcontext():
            yield


def make_layout(
    config: DistributionConfig,
    placement: PlacementConfig,
    num_layers: int,
    strategy: tf.distribute.Strategy | None = None,
) -> Layout:
    """Returns the layout that the settings ask for, on the devices that there are.

    Devices are all GPUs, or all CPUs (logical ones included) where there is no GPU.
    `default` has one replica. `mirrored` cuts the devices into `config.replicas` equal
    parts, or into as many as there are devices for: with nothing placed, each device
    has a replica. `multi_worker` does so on every host that has GPUs; a host without
    has one replica. `tpu` has a replica on each core. Devices left over are not used.

    Args:
        config: Strategy and replicas.
        placement: Stages of a replica.
        num_layers: Layers of the encoder, and of the decoder.
        strategy: What `configure_devices` returned.

    Raises:
        UserError: no such strategy, a device that there is not, or settings that do not
            go together.
    """
    if config.strategy == "tpu":
        if placement != PlacementConfig():
            raise UserError(
                "distribution.strategy=tpu: a replica is one core; leave out placement"
            )
        found = make_placement(placement, num_layers, ["TPU:0"])
        return Layout(_existing(strategy), found, None)
    devices = _devices()
    if config.strategy == "default":
        stages = make_placement(placement, num_layers, devices)
        grid = DeviceGrid([devices]) if stages.num_stages > 1 else None
        return Layout(tf.distribute.get_strategy(), stages, grid)
    if config.strategy == "multi_worker":
        rows = worker_rows(_existing(strategy), devices)
    elif config.strategy == "mirrored":
        size = replica_size(config, placement, len(devices))
        starts = range(0, len(devices) - size + 1, size)
        rows = [devices[start : start + size] for start in starts]
        strategy = mirrored_strategy([row[0] for row in rows])
    else:
        raise UserError(
            f"distribution.strategy={config.strategy!r}: choose 'default', 'mirrored', "
            "'multi_worker' or 'tpu'"
        )
    stages = make_placement(placement, num_layers, rows[0])
    grid = DeviceGrid(rows) if stages.num_stages > 1 else None
    several = config.strategy == "multi_worker"
    cluster = Cluster(strategy if several else None)
    return Layout(_existing(strategy), stages, grid, cluster)


def _existing(strategy: tf.distribute.Strategy | None) -> tf.distribute.Strategy:
    if strategy is None:
        raise ValueError("configure_devices must make this strategy first")
    return strategy


def _devices() -> list[str]:
    """Returns the names of this process's devices: GPUs, or else CPUs."""
    found = tf.config.list_logical_devices("GPU")
    names = [each.name for each in found or tf.config.list_logical_devices("CPU")]
    # With several processes those of the others are listed too, own ones first.
    task = tf.DeviceSpec.from_string(names[0]).task
    return [name for name in names if tf.DeviceSpec.from_string(name).task == task]


def worker_rows(
    strategy: tf.distribute.Strategy, devices: Sequence[str]
) -> list[list[str]]:
    """Returns the devices of each of a process's replicas.

    The strategy has its replicas on the first devices; the others are shared out, and
    those left over not used.

    Args:
        strategy: Of all processes.
        devices: Of this one.
    """
    first = list(strategy.extended.worker_devices)
    others = [device for device in devices if device not in first]
    size = len(others) // len(first)
    return [
        [device, *others[number * size : (number + 1) * size]]
        for number, device in enumerate(first)
    ]
