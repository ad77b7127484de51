"""Which device holds what: the only package that names devices."""

from nmt.distribution.placement import Placement, check_placement, make_placement
from nmt.distribution.stages import DeviceGrid, beside, placed, variables_on
from nmt.distribution.strategy import (
    allow_memory_growth,
    configure_devices,
    make_strategy,
    mirrored_strategy,
)

__all__ = [
    "DeviceGrid",
    "Placement",
    "allow_memory_growth",
    "beside",
    "check_placement",
    "configure_devices",
    "make_placement",
    "make_strategy",
    "mirrored_strategy",
    "placed",
    "variables_on",
]
