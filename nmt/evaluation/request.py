"""What `nmt-evaluate` is asked for."""

import dataclasses

from nmt.data.text import check_outputs
from nmt.errors import UserError
from nmt.evaluation.bootstrap import Bootstrap

# What a flag is needed for.
_WHY = {
    "--source": "lines are grouped by their sources",
    "--source_vocabulary": (
        "a file of the source's words, commonest first, such as source.vocab in a run "
        "folder"
    ),
    "--target_vocabulary": (
        "a file of the reference's words, such as target.vocab in a run folder"
    ),
}


@dataclasses.dataclass(frozen=True)
class EvaluationRequest:
    """What is to be scored, and how. Empty names stand for what there is not.

    Attributes:
        hypotheses: File of what a system made, a line each.
        reference: File of what is right, a line each.
        reference_tsv: Instead of it: rows of a source, a tab, and what is right for it.
        source: File of what each hypothesis was made from.
        baseline: File of what another system made of the same, to be compared with.
        by_length: The longest sources of all groups but the last of the table by
            length, in tokens with commas between, or `auto`.
        by_rank: Groups of the table by the average frequency rank of a source's words;
            0: no such table.
        without_unknown: Whether the lines without unknown words are scored too.
        source_vocabulary: For these two, file of the source's words, commonest first.
        target_vocabulary: File of the reference's words.
        bootstrap_samples: Samples of the test of the difference from the baseline; 0:
            no test.
        bootstrap_seed: Of the samples, above zero.
        plot: File for a plot of the first metric by length.
        metrics: Names of metrics; none: those usual for the kind of reference.
        bleu_tokenizer: sacrebleu's name of it.
        lowercase: Whether case is ignored.
        format: `text` or `json`.
        output: File for the report; `-` is standard output.
    """

    hypotheses: str
    reference: str = ""
    reference_tsv: str = ""
    source: str = ""
    baseline: str = ""
    by_length: str = ""
    by_rank: int = 0
    without_unknown: bool = False
    source_vocabulary: str = ""
    target_vocabulary: str = ""
    bootstrap_samples: int = Bootstrap.samples
    bootstrap_seed: int = Bootstrap.seed
    plot: str = ""
    metrics: tuple[str, ...] = ()
    bleu_tokenizer: str = "13a"
    lowercase: bool = False
    format: str = "text"
    output: str = "-"


def check_needs(request: EvaluationRequest) -> None:
    """Refuses flags that lack others, or that nothing uses.

    Raises:
        UserError: with what is missing, and what that is.
    """
    source = request.source or request.reference_tsv
    needs = {
        "--by_length": (request.by_length, {"--source": source}),
        "--plot": (request.plot, {"--source": source}),
        "--by_rank": (
            request.by_rank,
            {"--source": source, "--source_vocabulary": request.source_vocabulary},
        ),
        "--without_unknown": (
            request.without_unknown,
            {
                "--source": source,
                "--source_vocabulary": request.source_vocabulary,
                "--target_vocabulary": request.target_vocabulary,
            },
        ),
    }
    _check_files(request)
    for flag, (asked, given) in needs.items():
        missing = [name for name, value in given.items() if not value]
        if asked and missing:
            why = "; ".join(_WHY[name] for name in missing)
            raise UserError(f"{flag} needs {' and '.join(missing)}: {why}")
    if request.target_vocabulary and not request.without_unknown:
        raise UserError("--target_vocabulary is for --without_unknown: give that too")
    if request.source_vocabulary and not (request.without_unknown or request.by_rank):
        raise UserError(
            "--source_vocabulary is for --by_rank and --without_unknown: give one too"
        )
    if request.by_rank < 0 or request.by_rank == 1:
        raise UserError(f"--by_rank={request.by_rank}: give at least two groups")


def _check_files(request: EvaluationRequest) -> None:
    inputs = {
        name: getattr(request, name)
        for name in (
            "hypotheses",
            "reference",
            "reference_tsv",
            "source",
            "baseline",
            "source_vocabulary",
            "target_vocabulary",
        )
    }
    piped = [name for name, path in inputs.items() if path == "-"]
    if len(piped) > 1:
        raise UserError(f"{' and '.join(piped)} cannot all be standard input")
    check_outputs({"output": request.output, "plot": request.plot}, inputs)
