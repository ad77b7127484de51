"""From what somebody asked for to the settings of the run."""

import copy
import dataclasses
import pathlib
from collections.abc import Mapping
from typing import Any

from absl import logging

from nmt.config import Config
from nmt.models.run_folder import RunFolder
from nmt.training.resume import check_resumable


@dataclasses.dataclass(frozen=True)
class TrainingRequest:
    """What the command line says.

    Attributes:
        run_dir: The run folder, new or of an earlier run.
        config: A configuration that was named, or None.
        changed: Single settings that were given, `section.name` to value.
        default: What a new run folder starts from where none was named.
    """

    run_dir: pathlib.Path
    config: Config | None
    changed: Mapping[str, Any]
    default: Config = dataclasses.field(default_factory=Config)


def resolve(request: TrainingRequest) -> Config:
    """Returns the settings to train with.

    A new run folder starts from the named configuration or from the default; an old
    one goes on with its own, unless a configuration is named. Single settings are
    applied last. What differs from the run folder is announced and used.

    Raises:
        UserError: a difference with which the weights cannot be used.
    """
    folder = RunFolder(request.run_dir)
    saved = Config.load(folder.config_file) if folder.exists() else None
    config = request.config or saved or request.default
    config = copy.deepcopy(config)
    for name, value in request.changed.items():
        section, field = name.split(".")
        setattr(getattr(config, section), field, value)
    if saved:
        for change in check_resumable(saved, config):
            logging.info("%s: %r, was %r", change.name, change.new, change.old)
    return config
