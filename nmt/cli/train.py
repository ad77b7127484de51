"""Trains a translation model, or goes on where an interrupted training stopped.

On your own parallel text, two files of one sentence a line:

    nmt-train --source=train.en --target=train.fr --run_dir=runs/mine

With a configuration, and any of its settings changed:

    nmt-train --config=configs/sutskever14.py --config.training.seed=2 --run_dir=runs/2

The same command again goes on from the last checkpoint; --run_dir alone is enough.
"""

import pathlib
import signal
import sys

from absl import flags
from ml_collections import config_flags

from nmt.cli import app, default_config

_CONFIG = "config"
# Flags that stand for a setting.
_SHORT_FORMS = {
    "source": "data.train_source",
    "target": "data.train_target",
    "validation_source": "data.validation_source",
    "validation_target": "data.validation_target",
    "logical_devices": "distribution.logical_devices",
}


def define_flags(values: flags.FlagValues) -> None:
    """Adds the flags of this binary."""
    flags.DEFINE_string(
        "run_dir",
        None,
        "Folder of everything this training writes.",
        required=True,
        flag_values=values,
    )
    config_flags.DEFINE_config_file(
        _CONFIG,
        default_config.__file__,
        "A configs/*.py; without it, the preset for small data. Any setting of "
        "nmt/config.py can be given as --config.SECTION.NAME=VALUE.",
        flag_values=values,
    )
    for name, setting in _SHORT_FORMS.items():
        is_number = name == "logical_devices"
        define = flags.DEFINE_integer if is_number else flags.DEFINE_string
        define(name, None, f"Short for --config.{setting}.", flag_values=values)


def main(values: flags.FlagValues) -> None:
    """Trains with the settings that the flags name."""
    from nmt.training.loop import End
    from nmt.training.request import TrainingRequest, resolve
    from nmt.training.run import train

    given = values[_CONFIG]
    changed = dict(config_flags.get_override_values(given))
    for name, setting in _SHORT_FORMS.items():
        if values[name].value is not None:
            changed[setting] = values[name].value
    request = TrainingRequest(
        run_dir=pathlib.Path(values.run_dir),
        config=values[_CONFIG].value if given.present else None,
        changed=changed,
        default=default_config.get_config(),
    )
    end = train(resolve(request), request.run_dir)
    # As a shell reports a program that a signal ended.
    if end is End.INTERRUPTED:
        sys.exit(128 + signal.SIGINT)
    if end is End.TERMINATED:
        sys.exit(128 + signal.SIGTERM)


def run() -> None:
    """Runs the binary."""
    app.run(main, define_flags)


if __name__ == "__main__":
    run()
