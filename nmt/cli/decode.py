"""Translates text with a trained model: one line in, one line out, in order.

    nmt-decode --run_dir=runs/mine --input=test.en --output=test.fr
    echo "A dog runs." | nmt-decode --run_dir=runs/mine

Blank lines become empty ones. What was blank, or cut at the length limit, is reported
on standard error at the end.
"""

import functools

from absl import flags

from nmt.cli import app


def define_flags(values: flags.FlagValues) -> None:
    """Adds the flags of this binary."""
    text = functools.partial(flags.DEFINE_string, flag_values=values)
    choice = functools.partial(flags.DEFINE_enum, flag_values=values)
    number = functools.partial(flags.DEFINE_integer, lower_bound=1, flag_values=values)

    text("run_dir", None, "Folder of the training.", required=True)
    choice("checkpoint", "best", ["best", "last", "average"], "Weights to use.")
    text("input", "-", "Text to translate, a sentence a line; - is standard input.")
    text("output", "-", "Where translations go, whole or not; - is standard output.")
    choice(
        "format",
        "text",
        ["text", "moses"],
        "text: the best hypothesis. moses: n-best list, lines of "
        "'id ||| hypothesis ||| log_prob= x ||| score', x in nats.",
    )
    number("n_best", 1, "Hypotheses written a sentence; needs --format=moses.")
    number(
        "beam_size", None, "Hypotheses searched; 1 is greedy. Default: run folder's."
    )
    flags.DEFINE_float(
        "length_penalty",
        None,
        "alpha of ((5 + length) / 6)^alpha, which divides log probabilities when "
        "hypotheses are ranked; 0: none. Default: run folder's.",
        lower_bound=0.0,
        flag_values=values,
    )
    number(
        "batch_size",
        None,
        "Sentences searched together; with 1 each line is answered before the next is "
        "read. Default: 1 if they are typed, else run folder's.",
    )


def main(values: flags.FlagValues) -> None:
    """Translates as the flags say."""
    from nmt.decoding.files import DecodingRequest, decode_file

    decode_file(
        DecodingRequest(
            run_dir=values.run_dir,
            checkpoint=values.checkpoint,
            input=values.input,
            output=values.output,
            format=values.format,
            n_best=values.n_best,
            beam_size=values.beam_size,
            length_penalty=values.length_penalty,
            batch_size=values.batch_size,
        )
    )


def run() -> None:
    """Runs the binary."""
    app.run(main, define_flags)


if __name__ == "__main__":
    run()
