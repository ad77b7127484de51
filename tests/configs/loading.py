"""Loads the files in configs/ by path, as the binaries do."""

import importlib.util
import pathlib

from nmt.config import Config

FOLDER = pathlib.Path(__file__).parents[2] / "configs"
NAMES = sorted(path.stem for path in FOLDER.glob("*.py"))


def load(name: str) -> Config:
    specification = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    assert specification
    assert specification.loader
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    config = module.get_config()
    assert isinstance(config, Config)
    return config
