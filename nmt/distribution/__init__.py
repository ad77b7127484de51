"""Which device holds what: the only package that names devices."""

from nmt.distribution.cluster import Cluster
from nmt.distribution.layout import Layout, make_layout
from nmt.distribution.placement import Placement, check_placement, make_placement
from nmt.distribution.stages import (
    DeviceGrid,
    beside,
    is_placed,
    on_stage,
    placed,
    sum_beside,
    variables_on,
)
from nmt.distribution.strategy import (
    allow_memory_growth,
    configure_devices,
    mirrored_strategy,
)

__all__ = [
    "Cluster",
    "DeviceGrid",
    "Layout",
    "Placement",
    "allow_memory_growth",
    "beside",
    "check_placement",
    "configure_devices",
    "is_placed",
    "make_layout",
    "make_placement",
    "mirrored_strategy",
    "on_stage",
    "placed",
    "sum_beside",
    "variables_on",
]
