"""Which device holds what: the only package that names devices."""

from nmt.distribution.strategy import (
    configure_devices,
    make_strategy,
    mirrored_strategy,
)

__all__ = ["configure_devices", "make_strategy", "mirrored_strategy"]
