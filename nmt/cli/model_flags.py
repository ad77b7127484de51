"""Flags that say which models are used, and how together; the same in all binaries."""

from absl import flags

_ENSEMBLE = "Folder of the training; several with commas between are an ensemble."


def define_run_flags(
    values: flags.FlagValues, run_dir_help: str = _ENSEMBLE, required: bool = True
) -> None:
    """Adds `--run_dir` and `--checkpoint`.

    Args:
        values: The flags of the binary.
        run_dir_help: What a folder is for.
        required: Whether there must be one.
    """
    flags.DEFINE_list(
        "run_dir", None if required else [], run_dir_help, values, required=required
    )
    flags.DEFINE_enum(
        "checkpoint",
        "best",
        ["best", "last", "average"],
        "Weights to use.",
        flag_values=values,
    )


def define_model_flags(
    values: flags.FlagValues, run_dir_help: str = _ENSEMBLE, required: bool = True
) -> None:
    """Adds those, `--weights` and `--combination`; see `define_run_flags`."""
    define_run_flags(values, run_dir_help, required)
    flags.DEFINE_list(
        "weights", [], "Of the models of an ensemble; default: equal.", values
    )
    flags.DEFINE_enum(
        "combination",
        "probabilities",
        ["probabilities", "log_linear"],
        "Of an ensemble: the mean of the probabilities, or their geometric mean.",
        flag_values=values,
    )
