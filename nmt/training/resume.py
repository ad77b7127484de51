"""What may change between the two halves of an interrupted training."""

import dataclasses
from typing import NamedTuple

from nmt.config import Config
from nmt.errors import UserError

# These shape the weights, the meaning of the ids or the training pairs.
_FIXED = {
    "model": None,
    "data": (
        "source_tokenizer",
        "target_tokenizer",
        "source_vocabulary_size",
        "target_vocabulary_size",
        "source_vocabulary",
        "target_vocabulary",
        "minimum_count",
        "reverse_source",
        "held_out",
        "max_source_length",
        "max_target_length",
    ),
    "training": ("optimizer", "seed"),
}
# Nothing that was learnt depends on these.
_FREE_MODEL_FIELDS = (
    "dropout",
    "variational_dropout",
    "initializer",
    "initializer_scale",
)


class Change(NamedTuple):
    """A setting that differs from the run folder's.

    Attributes:
        name: Section and field, as on the command line.
        old: Value in the run folder.
        new: Value asked for.
        fixed: Whether the run folder cannot go on with it.
    """

    name: str
    old: object
    new: object
    fixed: bool


def changes(old: Config, new: Config) -> list[Change]:
    """Lists the settings in which two configurations differ.

    Example:
        >>> new = Config()
        >>> new.training.learning_rate = 0.5
        >>> changes(Config(), new)[0][:3]
        ('training.learning_rate', 0.002, 0.5)
    """
    found = []
    for section in dataclasses.fields(Config):
        before, after = getattr(old, section.name), getattr(new, section.name)
        for field in dataclasses.fields(before):
            values = getattr(before, field.name), getattr(after, field.name)
            if values[0] != values[1]:
                name = f"{section.name}.{field.name}"
                fixed = _is_fixed(section.name, field.name)
                found.append(Change(name, *values, fixed))
    return found


def check_resumable(old: Config, new: Config) -> list[Change]:
    """Returns the changed settings with which a run can go on.

    Raises:
        UserError: a setting changed that the weights or the vocabularies depend on.
    """
    found = changes(old, new)
    fixed = [change for change in found if change.fixed]
    if fixed:
        listed = "; ".join(
            f"{change.name} is {change.old!r} in the run folder, {change.new!r} was "
            "asked for"
            for change in fixed
        )
        raise UserError(f"{listed}: keep the value, or choose another --run_dir")
    return found


def _is_fixed(section: str, field: str) -> bool:
    if section not in _FIXED or field in _FREE_MODEL_FIELDS:
        return False
    fields = _FIXED[section]
    return fields is None or field in fields
