"""The default of `--config`: the small-data preset, for anybody's own parallel text."""

from nmt.config import Config


def get_config() -> Config:
    """Returns the defaults of every setting."""
    return Config()
