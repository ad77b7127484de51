"""Flags that say which models are used, and how together; the same in all binaries."""

from absl import flags


def define_model_flags(
    values: flags.FlagValues,
    run_dir_help: str = (
        "Folder of the training; several with commas between are an ensemble."
    ),
    required: bool = True,
) -> None:
    """Adds `--run_dir`, `--checkpoint`, `--weights` and `--combination`.

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
