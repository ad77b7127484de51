"""Which device holds what: the only package that names devices."""

from nmt.distribution.strategy import (
    allow_memory_growth,
    configure_devices,
    make_strategy,
    mirrored_strategy,
)

__all__ = [
    "allow_memory_growth",
    "configure_devices",
    "make_strategy",
    "mirrored_strategy",
]
