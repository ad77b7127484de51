"""Draws what models look at, what they know, and what they are good at.

    nmt-analyze alignments --run_dir=runs/mine --source=test.en --output=pictures
    nmt-analyze sentences --run_dir=runs/mine --source=some.en --output=pictures
    nmt-analyze lengths --hypotheses=a.fr,b.fr --reference=test.fr --source=test.en
        --source_vocabulary=runs/mine/source.vocab --output=pictures

alignments: a heat map a sentence, of the model's translations or of --target, and their
numbers. sentences: the encoder's last states in two dimensions, and for TensorBoard's
Embedding Projector. lengths: scores of systems by source length and by mean frequency
rank of the source's words. PNG and SVG; needs matplotlib, the extra `plots`. A command
with --help lists its flags.
"""

import functools
import re
import sys
from collections.abc import Callable

from absl import flags

from nmt.cli import app
from nmt.cli.model_flags import define_model_flags, define_run_flags
from nmt.errors import UserError


def _define_files(values: flags.FlagValues) -> None:
    text = functools.partial(flags.DEFINE_string, flag_values=values, required=True)
    text("source", None, "Source sentences, a line each.")
    text("output", None, "Folder for the results; it is made if it is not there.")


def define_alignments(values: flags.FlagValues) -> None:
    """Adds the flags of `alignments`."""
    define_model_flags(values)
    _define_files(values)
    text = functools.partial(flags.DEFINE_string, flag_values=values)
    text("target", "", "Translations of the source. Default: the model's own.")
    flags.DEFINE_list(
        "lines", [], "Lines to draw, from 1. Default: the first ten.", values
    )


def define_sentences(values: flags.FlagValues) -> None:
    """Adds the flags of `sentences`."""
    define_run_flags(
        values, "Folder of the training; vectors of several follow each other."
    )
    _define_files(values)
    text = functools.partial(flags.DEFINE_string, flag_values=values)
    text("groups", "", "Name of the group of each sentence, a line each: its colour.")


def define_lengths(values: flags.FlagValues) -> None:
    """Adds the flags of `lengths`."""
    _define_files(values)
    text = functools.partial(flags.DEFINE_string, flag_values=values)
    flags.DEFINE_list(
        "hypotheses",
        None,
        "What systems made of the source, a file each.",
        values,
        required=True,
    )
    flags.DEFINE_list("names", [], "Of the systems. Default: the files'.", values)
    flags.DEFINE_string(
        "reference", None, "What is right, a line each.", values, required=True
    )
    text(
        "source_vocabulary",
        "",
        "For the groups by rank: the source's words, commonest first.",
    )
    text("by_length", "", "As of nmt-evaluate: 10,20 for 1-10, 11-20, 21+; or auto.")
    flags.DEFINE_integer("by_rank", 5, "Groups by rank.", flag_values=values)
    text("metric", "bleu", "As of nmt-evaluate; one.")
    text("bleu_tokenizer", "13a", "sacrebleu's; none for text that is tokenized.")
    flags.DEFINE_bool("lowercase", False, "Ignore case.", flag_values=values)


def alignments(values: flags.FlagValues) -> None:
    """Draws alignments as the flags say."""
    from nmt.analysis import AlignmentsRequest, draw_alignments

    if not all(re.fullmatch("[0-9]{1,9}", text) for text in values.lines):
        raise UserError(f"--lines={','.join(values.lines)}: give whole numbers")
    draw_alignments(
        AlignmentsRequest(
            run_dirs=tuple(values.run_dir),
            weights=app.numbers(values, "weights"),
            lines=tuple(map(int, values.lines)),
            **app.named(values, "checkpoint combination source target output"),
        )
    )


def sentences(values: flags.FlagValues) -> None:
    """Draws sentences as the flags say."""
    from nmt.analysis import SentencesRequest, draw_sentences

    draw_sentences(
        SentencesRequest(
            run_dirs=tuple(values.run_dir),
            **app.named(values, "checkpoint source groups output"),
        )
    )


def lengths(values: flags.FlagValues) -> None:
    """Draws scores as the flags say."""
    from nmt.analysis import LengthsRequest, draw_quality

    draw_quality(
        LengthsRequest(
            hypotheses=tuple(values.hypotheses),
            names=tuple(values.names),
            **app.named(
                values,
                "reference source output source_vocabulary by_length by_rank metric "
                "bleu_tokenizer lowercase",
            ),
        )
    )


def _no_command(values: flags.FlagValues) -> None:
    del values
    raise UserError("give a command: alignments, sentences or lengths; see --help")


_COMMANDS: dict[
    str,
    tuple[Callable[[flags.FlagValues], None], Callable[[flags.FlagValues], None]],
] = {
    "alignments": (alignments, define_alignments),
    "sentences": (sentences, define_sentences),
    "lengths": (lengths, define_lengths),
}


def run() -> None:
    """Runs the binary."""
    if sys.argv[1:2] and sys.argv[1] in _COMMANDS:
        command = _COMMANDS[sys.argv.pop(1)]
    else:
        command = _no_command, lambda values: None
    app.run(*command)


if __name__ == "__main__":
    run()
