"""Scores translations or pronunciations against references.

    nmt-evaluate --hypotheses=out.fr --reference=test.fr --source=test.en
    nmt-evaluate --hypotheses=out.phones --reference_tsv=test.tsv

Text is scored as it is given. With --source there is a table by source length, and
error rates count equal sources once, for which the reference of any of them is right.
With --baseline another system's scores and the differences stand beside all of them,
and paired bootstrap tells whether the systems differ by more than chance.
"""

import functools

from absl import flags

from nmt.cli import app


def define_flags(values: flags.FlagValues) -> None:
    """Adds the flags of this binary."""
    text = functools.partial(flags.DEFINE_string, flag_values=values)
    whole = functools.partial(flags.DEFINE_integer, flag_values=values)

    text("hypotheses", None, "What a system made, a line each.", required=True)
    text("reference", "", "What is right, a line each.")
    text(
        "reference_tsv",
        "",
        "Instead of --reference: rows of a source, a tab and what is right; several "
        "rows for a source are alternatives. Without --source, a hypothesis a row.",
    )
    text("source", "", "What the hypotheses were made from, a line each.")
    text("baseline", "", "What another system made of the same, a line each.")
    text(
        "by_length",
        "",
        "Scores by tokens of the source: 10,20 for 1-10, 11-20, 21+; auto for tens to "
        "60. Needs --source; without this flag, a table if their lengths differ.",
    )
    text("plot", "", "Plot of the first metric by length: a .png, .svg or .pdf file.")
    _define_word_flags(values)
    whole("bootstrap_samples", 1000, "Samples of the test with --baseline; 0: none.")
    whole("bootstrap_seed", 12345, "Seed of these samples; above zero.")
    flags.DEFINE_list(
        "metric",
        [],
        "bleu, chrf, ter, word_error_rate, phone_error_rate, some with commas between. "
        "Default: bleu,chrf,ter; with --reference_tsv the error rates.",
        flag_values=values,
    )
    text("bleu_tokenizer", "13a", "sacrebleu's; none for text that is tokenized.")
    flags.DEFINE_bool("lowercase", False, "Ignore case.", flag_values=values)
    flags.DEFINE_enum(
        "format", "text", ["text", "json"], "Of the report.", flag_values=values
    )
    text("output", "-", "Where the report goes; - is standard output.")


def _define_word_flags(values: flags.FlagValues) -> None:
    text = functools.partial(flags.DEFINE_string, flag_values=values)
    flags.DEFINE_integer(
        "by_rank",
        0,
        "So many groups of about equal size, by the average frequency rank of a "
        "source's words: their scores. Needs --source and --source_vocabulary.",
        flag_values=values,
    )
    flags.DEFINE_bool(
        "without_unknown",
        False,
        "Also scores of the lines without an unknown word in source and reference "
        "alone. Needs --source and both vocabularies.",
        flag_values=values,
    )
    text(
        "source_vocabulary",
        "",
        "Words of the source, a line each, commonest first, as source.vocab in a run "
        "folder; no subwords.",
    )
    text("target_vocabulary", "", "The same of the reference.")


def main(values: flags.FlagValues) -> None:
    """Scores as the flags say."""
    from nmt.evaluation import EvaluationRequest, evaluate_files

    evaluate_files(
        EvaluationRequest(
            hypotheses=values.hypotheses,
            reference=values.reference,
            reference_tsv=values.reference_tsv,
            source=values.source,
            baseline=values.baseline,
            by_length=values.by_length,
            by_rank=values.by_rank,
            without_unknown=values.without_unknown,
            source_vocabulary=values.source_vocabulary,
            target_vocabulary=values.target_vocabulary,
            bootstrap_samples=values.bootstrap_samples,
            bootstrap_seed=values.bootstrap_seed,
            plot=values.plot,
            metrics=tuple(dict.fromkeys(values.metric)),
            bleu_tokenizer=values.bleu_tokenizer,
            lowercase=values.lowercase,
            format=values.format,
            output=values.output,
        )
    )


def run() -> None:
    """Runs the binary."""
    app.run(main, define_flags)


if __name__ == "__main__":
    run()
