"""Translates text with trained models: one line in, one line out, in order.

    nmt-decode --run_dir=runs/mine --input=test.en --output=test.fr
    nmt-decode --run_dir=runs/a,runs/b --n_best=4 --beam_size=4 --format=moses < test.en
    echo "A dog runs." | nmt-decode --run_dir=runs/mine

Several run folders are an ensemble. Blank lines become empty ones. What was blank,
long, cut, or unfinished at the length limit is reported on standard error at the end.
docs/decoding.md says what can be relied on.
"""

import functools

from absl import flags

from nmt.cli import app
from nmt.cli.model_flags import define_model_flags


def define_flags(values: flags.FlagValues) -> None:
    """Adds the flags of this binary."""
    define_model_flags(values)
    _define_files(values)
    _define_search(values)
    _define_choice_of_words(values)


def _define_files(values: flags.FlagValues) -> None:
    text = functools.partial(flags.DEFINE_string, flag_values=values)
    choice = functools.partial(flags.DEFINE_enum, flag_values=values)
    number = functools.partial(flags.DEFINE_integer, lower_bound=1, flag_values=values)
    yes = functools.partial(flags.DEFINE_bool, flag_values=values)

    text("input", "-", "Text to translate, a sentence a line; - is standard input.")
    text("prefix", "", "Text that the translations begin with, line by line.")
    text("shard", "", "K/N: translate only the K-th of N parts of the input.")
    text("output", "-", "Where translations go, whole or not; - is standard output.")
    choice(
        "format",
        "text",
        ["text", "moses", "jsonl"],
        "text: the best hypothesis. moses: n-best list, lines of "
        "'id ||| hypothesis ||| log_prob= x ||| score', x in nats. jsonl: an object a "
        "line: text, tokens, log_prob, hypothesis_score, finished, alignment.",
    )
    number(
        "n_best", 1, "Hypotheses written a sentence; needs another format than text."
    )
    text("alignments", "", "Where alignments go, a line for each hypothesis written.")
    choice(
        "alignment_format",
        "pharaoh",
        ["pharaoh", "matrix"],
        "pharaoh: 'source-target' words, from 0. matrix: an object a line with the "
        "tokens of both sides and all weights.",
    )
    yes("replace_unknown", False, "Write for <unk> the source word it looked at most.")
    text(
        "dictionary",
        "",
        "Rows of a source word, a tab and a target word: implies --replace_unknown, "
        "and writes the target word instead where there is one.",
    )
    choice(
        "long_lines",
        "translate",
        ["translate", "cut", "refuse"],
        "What becomes of lines of more than --max_source_length tokens.",
    )
    number("max_source_length", None, "Tokens. Default: as many as training pairs had.")
    number(
        "batch_size",
        None,
        "Sentences searched together; with 1 each line is answered before the next is "
        "read. Default: 1 if they are typed, else run folder's.",
    )


def _define_search(values: flags.FlagValues) -> None:
    real = functools.partial(flags.DEFINE_float, lower_bound=0.0, flag_values=values)
    number = functools.partial(flags.DEFINE_integer, flag_values=values)

    number(
        "beam_size",
        None,
        "Hypotheses searched; 1 is greedy. Default: run folder's.",
        lower_bound=1,
    )
    flags.DEFINE_bool(
        "keep_finished",
        False,
        "Keep the beam as wide as it is when hypotheses finish. The papers' beam "
        "shrinks.",
        flag_values=values,
    )
    real(
        "length_penalty",
        None,
        "alpha of ((5 + length) / 6)^alpha, which divides log probabilities when "
        "hypotheses are ranked; 0: none. Default: run folder's.",
    )
    flags.DEFINE_enum(
        "normalization",
        "wu",
        ["wu", "mean"],
        "wu: by --length_penalty. mean: rank by the mean over the tokens.",
        flag_values=values,
    )
    real(
        "coverage_penalty",
        0.0,
        "beta: times the sum over source words of log(min(1, attention in all)), added "
        "to what hypotheses are ranked by.",
    )
    number("groups", 1, "Parts of a diverse beam search; 1: ordinary.", lower_bound=1)
    real("diversity", 0.5, "Nats a word loses for each earlier group that has it.")
    flags.DEFINE_bool(
        "sample", False, "Draw --beam_size samples, do not search.", flag_values=values
    )
    real("temperature", 1.0, "Of samples: divides the logits.")
    number("top_k", 0, "Sample from so many likeliest words; 0: all.", lower_bound=0)
    real("top_p", 1.0, "Sample from the likeliest words that have this probability.")
    number("seed", 1, "Of samples; equal sentences have equal samples.")


def _define_choice_of_words(values: flags.FlagValues) -> None:
    number = functools.partial(flags.DEFINE_integer, lower_bound=0, flag_values=values)

    number("min_length", 0, "Fewest tokens of a translation.")
    number(
        "no_repeat_ngram_size", 0, "n: no n tokens in a row come twice; 0: they may."
    )
    flags.DEFINE_bool("forbid_unknown", False, "Never write <unk>.", flag_values=values)


def main(values: flags.FlagValues) -> None:
    """Translates as the flags say."""
    from nmt.decoding import DecodingRequest, decode_file
    from nmt.decoding.search_options import SearchOptions
    from nmt.decoding.translation_options import TranslationOptions

    decode_file(
        DecodingRequest(
            run_dirs=tuple(values.run_dir),
            weights=app.numbers(values, "weights"),
            replace_unknown=values.replace_unknown or bool(values.dictionary),
            options=TranslationOptions(
                search=SearchOptions(
                    **app.named(
                        values,
                        "keep_finished length_penalty normalization coverage_penalty "
                        "groups diversity sample temperature top_k top_p seed "
                        "min_length no_repeat_ngram_size",
                    )
                ),
                **app.named(
                    values,
                    "beam_size n_best batch_size forbid_unknown long_lines "
                    "max_source_length",
                ),
            ),
            **app.named(
                values,
                "checkpoint combination input prefix shard output format alignments "
                "alignment_format dictionary",
            ),
        )
    )


def run() -> None:
    """Runs the binary."""
    app.run(main, define_flags)


if __name__ == "__main__":
    run()
