"""Sentences as points: figure 2 of Sutskever et al. (2014)."""

import dataclasses
import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

import nmt
from nmt.analysis.figures import rendered, write_folder
from nmt.data.text import read_lines
from nmt.errors import UserError
from nmt.evaluation.drawing import check_matplotlib, label, new_figure

# Labels of more sentences would hide each other; the points are drawn all the same.
_MOST_LABELS = 60
# Their size, and how much higher than its point a label may be; the best ones first.
_LETTERS = 8
_HEIGHTS = (3.0, -9.0, 13.0, -19.0, 23.0, -29.0)
_PROJECTOR = """embeddings {
  tensor_path: "vectors.tsv"
  metadata_path: "metadata.tsv"
}
"""


@dataclasses.dataclass(frozen=True)
class SentencesRequest:
    """Which sentences are to be drawn.

    Attributes:
        run_dirs: Folders of trainings; several models' vectors follow each other.
        source: File of sentences.
        output: Folder for the picture, the numbers and the Embedding Projector.
        groups: File with the name of a group a line: a colour each. Empty: none.
        checkpoint: `best`, `last` or `average`.
    """

    run_dirs: tuple[str, ...]
    source: str
    output: str
    groups: str = ""
    checkpoint: str = "best"


class Components(NamedTuple):
    """Vectors in the plane in which they differ most.

    Attributes:
        points: `[sentences, 2]`.
        shares: Of the variance, by each of the two.
    """

    points: np.ndarray
    shares: tuple[float, float]


def draw_sentences(request: SentencesRequest) -> Components:
    """Draws sentences by the encoder's last states, and writes them for TensorBoard.

    `sentences.png` and `.svg` have the two principal components, `sentences.json` their
    numbers; `tensorboard --logdir` of the folder shows `vectors.tsv`, which has all
    numbers, in its Embedding Projector.

    Raises:
        UserError: a file cannot be used, there are fewer than three sentences or a
            blank one, or matplotlib is missing.
    """
    check_matplotlib()
    lines = list(read_lines(request.source))
    blank = [number for number, line in enumerate(lines, 1) if not line.strip()]
    if blank:
        raise UserError(f"{request.source}: there is no sentence in line {blank[0]}")
    if len(lines) < 3:
        raise UserError(f"{request.source}: a picture needs at least three sentences")
    groups = list(read_lines(request.groups)) if request.groups else [""] * len(lines)
    if len(groups) != len(lines):
        raise UserError(
            f"{request.source} has {len(lines):,} lines and {request.groups} "
            f"{len(groups):,}; line n of one belongs to line n of the other"
        )
    translator = nmt.load(*request.run_dirs, checkpoint=request.checkpoint)
    vectors = translator.encode(lines)
    found = principal_components(vectors)
    rows = [
        {"sentence": line, "group": group, "x": point[0], "y": point[1]}
        for line, group, point in zip(lines, groups, found.points.tolist(), strict=True)
    ]
    content = {"variance_shares": found.shares, "sentences": rows}
    files: dict[str, bytes | str] = {
        **rendered("sentences", scatter(found, lines, groups)),
        "sentences.json": json.dumps(content, ensure_ascii=False, indent=1) + "\n",
        "vectors.tsv": "".join(
            "\t".join(f"{x:.6g}" for x in row) + "\n" for row in vectors
        ),
        "metadata.tsv": metadata(lines, groups if request.groups else None),
        "projector_config.pbtxt": _PROJECTOR,
    }
    write_folder(request.output, files)
    return found


def principal_components(vectors: np.ndarray) -> Components:
    """Projects vectors to the plane of their largest variance.

        X - mean = U S V^T,   points = U_2 S_2

    where S_2 are the two largest singular values; a component's share of the variance
    is its s^2 / sum s^2. Signs are such that each component's largest number is
    positive, so that equal vectors give equal pictures.

    Args:
        vectors: `[sentences, size]`, at least two each way.

    Example:
        >>> found = principal_components(np.array([[0.0, 0], [3, 0], [0, 0], [3, 0]]))
        >>> found.shares
        (1.0, 0.0)
    """
    centred = vectors.astype(np.float64) - vectors.mean(axis=0, dtype=np.float64)
    left, values, _ = np.linalg.svd(centred, full_matrices=False)
    points = left[:, :2] * values[:2]
    largest = np.abs(points).argmax(axis=0)
    points = points * np.where(points[largest, [0, 1]] < 0, -1.0, 1.0)
    total = float(np.sum(values**2)) or 1.0
    first, second = (float(value**2) / total for value in values[:2])
    return Components(points, (first, second))


def metadata(lines: Sequence[str], groups: Sequence[str] | None) -> str:
    r"""Returns the rows that the Embedding Projector shows.

    A single column has no head there, two have one.

    Example:
        >>> metadata(["a\tb"], None)
        'a b\n'
        >>> metadata(["a"], ["first"])
        'sentence\tgroup\na\tfirst\n'
    """
    clean = [" ".join(line.split()) for line in lines]
    if groups is None:
        return "".join(f"{line}\n" for line in clean)
    rows = [
        f"{line}\t{' '.join(group.split())}\n"
        for line, group in zip(clean, groups, strict=True)
    ]
    return "".join(["sentence\tgroup\n", *rows])


def scatter(found: Components, lines: Sequence[str], groups: Sequence[str]) -> Any:
    """Draws the points; those of a group have a colour, all of them their sentence."""
    figure = new_figure(9.0, 6.5)
    axes = figure.add_subplot()
    for group in dict.fromkeys(groups):
        inside = [each == group for each in groups]
        x, y = found.points[inside].T
        axes.scatter(x, y, s=18, label=label(group) or None)
    if len(lines) <= _MOST_LABELS:
        offsets = label_offsets(found.points, lines)
        for line, point, (side, up) in zip(lines, found.points, offsets, strict=True):
            axes.annotate(
                label(line),
                point,
                xytext=(4 if side == "left" else -4, up),
                textcoords="offset points",
                ha=side,
                fontsize=_LETTERS,
            )
    for name, share in zip("xy", found.shares, strict=True):
        number = 1 + "xy".index(name)
        axes.set(**{f"{name}label": f"component {number} ({share:.0%} of variance)"})
    axes.margins(0.08)
    if any(groups):
        figure.legend(loc="outside upper center", ncols=4)
    return figure


def label_offsets(points: np.ndarray, lines: Sequence[str]) -> list[tuple[str, float]]:
    """Says where labels stand, so that they hide each other as little as can be.

    Args:
        points: `[sentences, 2]`.
        lines: Their labels.

    Returns:
        Of each label the side of it at which its point is, that nearer to the picture's
        edge, and how much higher it stands than the point, in printer's points.
    """
    low, high = points.min(axis=0), points.max(axis=0)
    # The axes are about eight by five and a half inches.
    scale = np.array([570.0, 390.0]) / np.where(high > low, high - low, 1.0)
    middle = np.median(points[:, 0])
    placed: list[tuple[float, float, float]] = []
    offsets = []
    for point, line in zip(points, lines, strict=True):
        x, y = (point - low) * scale
        side, width = "left", 0.5 * _LETTERS * len(line) + 8
        if point[0] > middle:
            side, x = "right", x - width

        def hidden(up: float, x: float = x, y: float = y, width: float = width) -> int:
            return sum(
                x < right and left < x + width and abs(y + up - other) < _LETTERS + 1
                for left, right, other in placed
            )

        up = min(_HEIGHTS, key=hidden)
        placed.append((x, x + width, y + up))
        offsets.append((side, up))
    return offsets
