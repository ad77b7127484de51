"""The same flags name the models in all binaries."""

import pytest
from absl import flags

from nmt.cli import decode, export, rescore
from nmt.cli.model_flags import define_model_flags

NAMES = ("run_dir", "checkpoint", "weights", "combination")


@pytest.mark.parametrize("binary", [decode, export, rescore])
def test_every_binary_has_them(binary: object) -> None:
    values = flags.FlagValues()
    binary.define_flags(values)  # type: ignore[attr-defined]
    assert set(NAMES) <= set(values)


def test_values_and_defaults() -> None:
    values = flags.FlagValues()
    define_model_flags(values, "of lists", required=False)
    values(["program", "--weights=1,2"])
    assert [getattr(values, name) for name in NAMES] == [
        *([], "best", ["1", "2"], "probabilities")
    ]
    required = flags.FlagValues()
    define_model_flags(required)
    with pytest.raises(flags.IllegalFlagValueError, match="run_dir"):
        required(["program"])
