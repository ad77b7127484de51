"""Writes trained models as a SavedModel that takes strings and gives translations.

    nmt-export --run_dir=runs/mine --output=exported/mine

makes exported/mine/1, then 2, and so on, as TensorFlow Serving expects them. It needs
neither this package nor the run folder, and says the same as nmt-decode. Several run
folders are exported as an ensemble. docs/serving.md has the signatures.
"""

import functools

from absl import flags

from nmt.cli import app
from nmt.cli.model_flags import define_model_flags


def define_flags(values: flags.FlagValues) -> None:
    """Adds the flags of this binary."""
    define_model_flags(values)
    _define_output(values)
    _define_compression(values)
    _define_search(values)


def _define_output(values: flags.FlagValues) -> None:
    flags.DEFINE_string(
        "output", None, "Folder of all versions.", values, required=True
    )
    flags.DEFINE_integer(
        "version",
        0,
        "Number of the new one. Default: after the highest that there is.",
        lower_bound=0,
        flag_values=values,
    )


def _define_compression(values: flags.FlagValues) -> None:
    flags.DEFINE_enum(
        "compression",
        "none",
        ["none", "float16", "int8"],
        "Bits in which weights are stored; they become float32 when the model runs.",
        flag_values=values,
    )
    text = functools.partial(flags.DEFINE_string, flag_values=values)
    text("source", "", "Text to report what the compression costs on.")
    text("reference", "", "Its translation.")


def _define_search(values: flags.FlagValues) -> None:
    number = functools.partial(flags.DEFINE_integer, lower_bound=1, flag_values=values)
    real = functools.partial(flags.DEFINE_float, lower_bound=0.0, flag_values=values)
    yes = functools.partial(flags.DEFINE_bool, flag_values=values)

    number("beam_size", None, "Hypotheses searched. Default: run folder's.")
    number("n_best", None, "Hypotheses that n_best returns. Default: the whole beam.")
    number("batch_size", None, "Lines searched together. Default: run folder's.")
    real(
        "length_penalty",
        None,
        "alpha of ((5 + length) / 6)^alpha, which divides log probabilities when "
        "hypotheses are ranked; 0: none. Default: run folder's.",
    )
    real("coverage_penalty", 0.0, "As for nmt-decode; needs attention.")
    yes("keep_finished", False, "As for nmt-decode.")
    yes("replace_unknown", False, "Write for <unk> the source word it looked at most.")
    flags.DEFINE_string(
        "dictionary",
        "",
        "As for nmt-decode: implies --replace_unknown; becomes a part of the model.",
        values,
    )
    yes("warm_up", False, "Write requests that TensorFlow Serving runs at its start.")
    number("max_source_tokens", 1000, "Longer lines are cut, and the answer says so.")


def main(values: flags.FlagValues) -> None:
    """Exports as the flags say."""
    from nmt.decoding import SearchOptions
    from nmt.export import ExportRequest, ServingOptions, export_model

    export_model(
        ExportRequest(
            run_dirs=tuple(values.run_dir),
            weights=app.numbers(values, "weights"),
            options=ServingOptions(
                search=SearchOptions(
                    **app.named(values, "length_penalty coverage_penalty keep_finished")
                ),
                **app.named(
                    values,
                    "beam_size n_best batch_size replace_unknown dictionary "
                    "max_source_tokens",
                ),
            ),
            **app.named(
                values,
                "output version checkpoint combination compression source reference "
                "warm_up",
            ),
        )
    )


def run() -> None:
    """Runs the binary."""
    app.run(main, define_flags)


if __name__ == "__main__":
    run()
