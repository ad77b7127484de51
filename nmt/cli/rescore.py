r"""Adds the log probability of every hypothesis to the n-best lists of another system.

    nmt-rescore --run_dir=runs/mine --source=test.en --n_best=test.nbest.gz \
        --output=scored.nbest.gz --rerank=best.fr --reference=test.fr

Lists are Moses': 'id ||| hypothesis ||| features ||| total', the id being the number
of the source line, from 0. Each model adds a feature, named after its run folder: log
p(hypothesis given source), the end of sentence included, as a natural logarithm: higher
is better. Several run folders also add 'ensemble', theirs together. All else of a line
stays as it is. Lists are ranked, each by itself, by a mix of total and log
probabilities; with --reference the BLEU of all choices is reported. If it is stopped,
the same command goes on where it was. docs/rescoring.md has the formulas.
"""

import functools

from absl import flags

from nmt.cli import app
from nmt.cli.model_flags import define_model_flags


def define_flags(values: flags.FlagValues) -> None:
    """Adds the flags of this binary."""
    define_model_flags(
        values,
        "Folder of the training; several with commas between are scored one by one and "
        "as an ensemble. Without: the lists are ranked by what they have.",
        required=False,
    )
    _define_files(values)
    _define_mix(values)


def _define_files(values: flags.FlagValues) -> None:
    text = functools.partial(flags.DEFINE_string, flag_values=values)

    text("source", None, "Source text, a sentence a line.", required=True)
    text(
        "n_best",
        None,
        "Lists of these lines, ids ascending; - is standard input.",
        required=True,
    )
    text(
        "output",
        "",
        "Where the lists with the new features go, whole or not; - is standard output. "
        "Needed with --run_dir.",
    )
    text("rerank", "", "Where the best hypothesis of each source line goes.")
    text("n_best_output", "", "Where the lists go, each in its new order.")
    text("reference", "", "What is right, a line each, for the report and for tuning.")
    text("report", "", "Where the report goes. Default: standard error.")
    text("report_json", "", "Where the report goes as JSON.")


def _define_mix(values: flags.FlagValues) -> None:
    text = functools.partial(flags.DEFINE_string, flag_values=values)
    whole = functools.partial(flags.DEFINE_integer, flag_values=values)
    yes = functools.partial(flags.DEFINE_bool, flag_values=values)

    text(
        "mix",
        "even",
        "even: the mean of the list's total and log p (of the ensemble, if there are "
        "several models). weights=total:1,NAME:0.5,words:0.1: a weighted sum of total, "
        "features and number of words. tune:PATH: weights for the highest BLEU, "
        "written to a file. file:PATH: weights from such a file.",
    )
    flags.DEFINE_list(
        "tune_features",
        [],
        "Features of the lists that tuning gives weights, besides total, models and "
        "words; all: all of them.",
        values,
    )
    whole("tune_restarts", 8, "Random points that tuning starts from.", lower_bound=0)
    whole("tune_seed", 1, "Of these points.", lower_bound=0)
    text("bleu_tokenizer", "", "sacrebleu's. Default: the run folder's.")
    yes("lowercase", None, "Ignore case. Default: as the run folder says.")
    whole("bootstrap_samples", 1000, "Samples of the test of the mix; 0: none.")
    whole("bootstrap_seed", 12345, "Seed of these samples; above zero.")


def main(values: flags.FlagValues) -> None:
    """Rescores as the flags say."""
    from nmt.rescoring import RescoringRequest, rescore_file

    rescore_file(
        RescoringRequest(
            run_dirs=tuple(values.run_dir),
            weights=app.numbers(values, "weights"),
            tune_features=tuple(values.tune_features),
            **app.named(
                values,
                "source n_best output checkpoint combination mix reference rerank "
                "n_best_output report report_json bleu_tokenizer lowercase "
                "bootstrap_samples bootstrap_seed tune_restarts tune_seed",
            ),
        )
    )


def run() -> None:
    """Runs the binary."""
    app.run(main, define_flags)


if __name__ == "__main__":
    run()
