"""Dataclasses of settings from what JSON gives."""

import dataclasses
from typing import Any

from nmt.errors import UserError


def from_dict(kind: type, values: Any, where: str) -> Any:
    """Returns a dataclass of settings, those that are not named at their defaults.

    Args:
        kind: The dataclass; its fields may be dataclasses again.
        values: An object of JSON.
        where: Where it stands, for the messages.

    Raises:
        UserError: no object, or it names an unknown field.
    """
    if not isinstance(values, dict):
        raise UserError(f"{where}: expected an object of settings, got {values!r}")
    fields = {field.name: field for field in dataclasses.fields(kind)}
    result = kind()
    for name, value in values.items():
        if name not in fields:
            raise UserError(f"{where}: unknown setting {name!r}")
        default = getattr(result, name)
        if dataclasses.is_dataclass(default):
            value = from_dict(type(default), value, f"{where}: {name}")
        elif isinstance(default, tuple):
            value = tuple(value)
        setattr(result, name, value)
    return result
