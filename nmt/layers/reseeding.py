"""One initializer for many weights."""

from typing import Any


def reseeded(initializer: Any, offset: int) -> Any:
    """Copies an initializer with a seed of its own.

    A Keras initializer returns the same values at every call, seeded or not: shared as
    it is, it would make all layers start equal, and W equal to U. One that draws
    nothing, or has a generator of seeds, is returned as it is.
    """
    config = initializer.get_config() if hasattr(initializer, "get_config") else {}
    if not isinstance(config.get("seed", ""), int | None):
        return initializer
    if config["seed"] is not None:
        # Far apart: an initializer may draw several matrices, from its seed on.
        config["seed"] += 1000 * offset
    return type(initializer).from_config(config)
