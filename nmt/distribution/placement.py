"""Which layer and which slice of the vocabulary lives on which device of a replica."""

import dataclasses
import itertools
from collections.abc import Sequence

from nmt.config import PlacementConfig
from nmt.errors import UserError


@dataclasses.dataclass(frozen=True)
class Placement:
    """The stage, a device's number within its replica, of every part of a model.

    Sutskever et al. (2014, section 3.5) have eight devices: layer i of encoder and
    decoder on device i, for four layers, and the softmax in four slices on the others:
    `layers=(0, 1, 2, 3)`, `shards=(4, 5, 6, 7)`.

    Attributes:
        layers: Stage of layer i of encoder and decoder.
        shards: Stage of each slice of the vocabulary; a single one is the whole.
        chunk_length: Steps of a wavefront chunk; 0: whole sequences.
        recompute: Whether slices compute their logits again for the gradient.
    """

    layers: tuple[int, ...]
    shards: tuple[int, ...]
    chunk_length: int = 0
    recompute: bool = False

    @property
    def num_stages(self) -> int:
        """Devices of a replica."""
        return 1 + max(*self.layers, *self.shards)


def make_placement(
    config: PlacementConfig, num_layers: int, devices: Sequence[str]
) -> Placement:
    """Returns where the parts of a model live.

    With `auto`, each layer has a device of its own and each device left a slice of the
    vocabulary, where there are devices for it; else neighbouring layers share a device
    and every device has a slice.

    Args:
        config: What is asked for.
        num_layers: Layers of the encoder, and of the decoder.
        devices: The devices of a replica.

    Raises:
        UserError: the settings do not fit the model, or name a device that there is
            not.

    Example:
        >>> paper = PlacementConfig(layers=(0, 1, 2, 3), softmax_shards=4)
        >>> make_placement(paper, 4, [f"GPU:{i}" for i in range(8)]).shards
        (4, 5, 6, 7)
        >>> make_placement(PlacementConfig(auto=True), 4, ["GPU:0", "GPU:1"])
        Placement(layers=(0, 0, 1, 1), shards=(0, 1), chunk_length=0, recompute=False)
    """
    check_placement(config)
    if config.layers and len(config.layers) != num_layers:
        raise UserError(
            f"placement.layers={config.layers}: gives {len(config.layers)} layers a "
            f"device; the model has {num_layers}"
        )
    layers = tuple(config.layers) or (0,) * num_layers
    if config.auto:
        layers = _spread(num_layers, len(devices))
    free = [stage for stage in range(len(devices)) if stage not in layers]
    # With all layers on the first device, one slice stays there too.
    spread = config.auto or config.layers or config.softmax_shards > 1
    candidates = (free if spread else []) or sorted(set(layers))
    count = config.softmax_shards
    if config.auto and count == 1:
        count = len(candidates)
    shards = tuple(itertools.islice(itertools.cycle(candidates), count))
    placement = Placement(
        layers,
        tuple(config.softmax_stages) or shards,
        config.chunk_length,
        config.softmax_recompute,
    )
    _check_devices("layers", placement.layers, devices)
    _check_devices("softmax_stages", placement.shards, devices)
    return placement


def check_placement(config: PlacementConfig) -> None:
    """Refuses what no model and no devices would go with.

    Raises:
        UserError: says which settings.
    """
    if config.auto and (config.layers or config.softmax_stages):
        raise UserError(
            "placement.auto chooses all devices: leave out placement.layers and "
            "placement.softmax_stages"
        )
    for name in ("layers", "softmax_stages"):
        stages = getattr(config, name)
        if any(stage < 0 for stage in stages):
            raise UserError(f"placement.{name}={stages}: devices count from 0")
    if config.softmax_shards < 1:
        raise UserError(
            f"placement.softmax_shards={config.softmax_shards}: must be at least 1"
        )
    if config.softmax_stages and len(config.softmax_stages) != config.softmax_shards:
        raise UserError(
            f"placement.softmax_stages={config.softmax_stages}: gives "
            f"{len(config.softmax_stages)} slices a device; placement.softmax_shards="
            f"{config.softmax_shards}"
        )
    if config.chunk_length < 0:
        raise UserError(
            f"placement.chunk_length={config.chunk_length}: must be at least 0"
        )


def _spread(num_layers: int, num_devices: int) -> tuple[int, ...]:
    """Returns the stages of layers over all devices, neighbours together."""
    count = min(num_layers, num_devices)
    return tuple(layer * count // num_layers for layer in range(num_layers))


def _check_devices(name: str, stages: Sequence[int], devices: Sequence[str]) -> None:
    for stage in stages:
        if stage >= len(devices):
            kind = devices[0].rpartition(":")[0].rpartition("/")[2]
            kind = kind.removeprefix("device:")
            raise UserError(
                f"placement.{name}={tuple(stages)}: there is no device {kind}:{stage} "
                f"in a replica of {len(devices)}; with --logical_devices=N one CPU "
                "shows as N devices"
            )
