"""Scores translations or pronunciations against references.

    nmt-evaluate --hypotheses=out.fr --reference=test.fr --source=test.en
    nmt-evaluate --hypotheses=out.phones --reference_tsv=test.tsv

Text is scored as it is given. With --source there is a table by source length, and
error rates count equal sources once, for which the reference of any of them is right.
With --baseline another system's scores and the differences stand beside all of them.
"""

import functools

from absl import flags

from nmt.cli import app


def define_flags(values: flags.FlagValues) -> None:
    """Adds the flags of this binary."""
    text = functools.partial(flags.DEFINE_string, flag_values=values)

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
    flags.DEFINE_list(
        "metric",
        [],
        "bleu, chrf, word_error_rate, phone_error_rate, some with commas between. "
        "Default: bleu,chrf; with --reference_tsv the error rates.",
        flag_values=values,
    )
    text("bleu_tokenizer", "13a", "sacrebleu's; none for text that is tokenized.")
    flags.DEFINE_bool("lowercase", False, "Ignore case.", flag_values=values)
    flags.DEFINE_enum(
        "format", "text", ["text", "json"], "Of the report.", flag_values=values
    )
    text("output", "-", "Where the report goes; - is standard output.")


def main(values: flags.FlagValues) -> None:
    """Scores as the flags say."""
    from nmt.evaluation.files import EvaluationRequest, evaluate_files

    evaluate_files(
        EvaluationRequest(
            hypotheses=values.hypotheses,
            reference=values.reference,
            reference_tsv=values.reference_tsv,
            source=values.source,
            baseline=values.baseline,
            by_length=values.by_length,
            metrics=tuple(values.metric),
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
