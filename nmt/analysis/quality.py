"""Quality by length and rarity: figure 3 of Sutskever et al. (2014)."""

import dataclasses
import math
from collections.abc import Sequence

from nmt.analysis.figures import rendered, write_folder
from nmt.config import EvaluationConfig
from nmt.errors import UserError
from nmt.evaluation.bootstrap import Bootstrap
from nmt.evaluation.drawing import Curve, check_matplotlib, plot_curves
from nmt.evaluation.lengths import parse_boundaries
from nmt.evaluation.metrics import check_metric
from nmt.evaluation.ranks import RankGroup
from nmt.evaluation.references import read_parallel
from nmt.evaluation.report import EvaluationReport
from nmt.evaluation.score import Score
from nmt.evaluation.scoring import Breakdown, evaluate
from nmt.evaluation.words import read_ranked_words


@dataclasses.dataclass(frozen=True)
class LengthsRequest:
    """Which systems are to be compared.

    Attributes:
        hypotheses: Files, a system each.
        reference: File of what is right.
        source: File of what was translated.
        output: Folder for the pictures and tables.
        names: Of the systems; none: the files'.
        source_vocabulary: The source's words, commonest first, for the groups by rank;
            empty: no such groups.
        by_length: As `nmt-evaluate --by_length`; empty: the usual groups.
        by_rank: Groups by rank.
        metric: As `nmt-evaluate --metric`, one.
        bleu_tokenizer: sacrebleu's name of it.
        lowercase: Whether case is ignored.
    """

    hypotheses: tuple[str, ...]
    reference: str
    source: str
    output: str
    names: tuple[str, ...] = ()
    source_vocabulary: str = ""
    by_length: str = ""
    by_rank: int = 5
    metric: str = "bleu"
    bleu_tokenizer: str = "13a"
    lowercase: bool = False


def draw_quality(request: LengthsRequest) -> dict[str, EvaluationReport]:
    """Draws the score of systems by source length and by the rank of source words.

    Writes `lengths.png`, `.svg` and `.tsv`, and with a vocabulary the same of `ranks`.
    The figures are those of `nmt-evaluate`.

    Raises:
        UserError: a file cannot be used, or the request makes no sense.
    """
    check_matplotlib()
    check_metric(request.metric)
    names = _names(request)
    if request.by_rank < 2:
        raise UserError(f"--by_rank={request.by_rank}: give at least two groups")
    breakdown = Breakdown(
        parse_boundaries(request.by_length) if request.by_length else None,
        rank_words=read_ranked_words(request.source_vocabulary)
        if request.source_vocabulary
        else None,
        rank_groups=request.by_rank,
    )
    config = EvaluationConfig(
        bleu_tokenizer=request.bleu_tokenizer, lowercase=request.lowercase
    )
    reports = {}
    for name, path in zip(names, request.hypotheses, strict=True):
        lines = read_parallel(path, request.reference, request.source)
        metrics = [request.metric]
        reports[name] = evaluate(lines, metrics, config, breakdown, Bootstrap(0, 1))
    lengths = length_curves(reports)
    if not any(len(curve.groups) > 1 for curve in lengths):
        raise UserError(
            f"{request.source}: all lines are in one group of lengths; give other "
            "groups by --by_length"
        )
    files: dict[str, bytes | str] = {
        **_files("lengths", "tokens of the source", lengths, request.metric)
    }
    if request.source_vocabulary:
        ranks = rank_curves(reports)
        files |= _files("ranks", "mean rank of source words", ranks, request.metric)
    write_folder(request.output, files)
    return reports


def length_curves(reports: dict[str, EvaluationReport]) -> list[Curve]:
    """Returns the scores of each system by source length."""
    return [
        Curve(
            name,
            tuple(map(str, report.by_source_length)),
            tuple(group.lines for group in report.by_source_length),
            tuple(_value(group.scores) for group in report.by_source_length),
        )
        for name, report in reports.items()
    ]


def rank_curves(reports: dict[str, EvaluationReport]) -> list[Curve]:
    """Returns the scores of each system by the mean rank of the source's words."""
    curves = []
    for name, report in reports.items():
        groups: Sequence[RankGroup] = ()
        if report.by_word_rank:
            groups = report.by_word_rank.groups
        curves.append(
            Curve(
                name,
                tuple(f"{group.lowest:,.0f}-{group.highest:,.0f}" for group in groups),
                tuple(group.lines for group in groups),
                tuple(_value(group.scores) for group in groups),
            )
        )
    return curves


def table(curves: Sequence[Curve], metric: str) -> str:
    """Returns curves as rows of system, group, lines and score, tabs between.

    Example:
        >>> table([Curve("a", ("1-9",), (3,), (2.5,))], "bleu").split()
        ['system', 'group', 'lines', 'bleu', 'a', '1-9', '3', '2.5000']
    """
    rows = [f"system\tgroup\tlines\t{metric}\n"]
    for curve in curves:
        for group, lines, value in zip(
            curve.groups, curve.lines, curve.values, strict=True
        ):
            score = "" if math.isnan(value) else f"{value:.4f}"
            rows.append(f"{curve.name}\t{group}\t{lines}\t{score}\n")
    return "".join(rows)


def _files(
    name: str, what: str, curves: Sequence[Curve], metric: str
) -> dict[str, bytes | str]:
    figure = plot_curves(curves, what, metric)
    return {**rendered(name, figure), f"{name}.tsv": table(curves, metric)}


def _names(request: LengthsRequest) -> tuple[str, ...]:
    names = request.names or request.hypotheses
    if len(names) != len(request.hypotheses):
        raise UserError(
            f"--names: {len(names)} for {len(request.hypotheses)} files of hypotheses"
        )
    if len(set(names)) < len(names) or not all(names):
        raise UserError("--hypotheses and --names: each system needs its own name")
    return names


def _value(scores: Sequence[Score]) -> float:
    return scores[0].value if scores else math.nan
