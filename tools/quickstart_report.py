"""Prints what the quickstart came to: score, ten outputs, and what to type next.

    python tools/quickstart_report.py TASK RUN_DIR SOURCE REFERENCE

TASK is `multi30k` or `cmudict`. RUN_DIR has the score and the output of the test set,
SOURCE and REFERENCE are the test set's two files.
"""

import gzip
import pathlib
import sys
from collections.abc import Sequence
from typing import NamedTuple

SAMPLES = 10


class Task(NamedTuple):
    """One of the quickstart's two tasks.

    Attributes:
        published: A figure from the literature, and how its recipe differs.
        example: A line that the trained model can be given.
        unit: What a line holds.
    """

    published: str
    example: str
    unit: str


TASKS = {
    "multi30k": Task(
        published="BLEU 52.5, the text-only RNN of LIUM-CVC (Caglayan et al., 2017). "
        "Another recipe: with attention, scored on lower-cased, tokenised text.",
        example="A dog is running on the beach.",
        unit="sentence",
    ),
    "cmudict": Task(
        published="word error rate 33.89 %, the n-gram system Phonetisaurus, by the "
        "README of cmusphinx/g2p-seq2seq. Another recipe: without stress, other split.",
        example="sutskever",
        unit="word",
    ),
}


def read(path: pathlib.Path) -> list[str]:
    """Returns the lines of a text file, compressed or not."""
    content = path.read_bytes()
    if path.suffix == ".gz":
        content = gzip.decompress(content)
    return content.decode().removesuffix("\n").split("\n")


def choose(count: int, total: int) -> list[int]:
    """Returns `count` line numbers spread evenly over a file: nobody picked them.

    Example:
        >>> choose(3, 30)
        [5, 15, 25]
    """
    count = min(count, total)
    return [(2 * number + 1) * total // (2 * count) for number in range(count)]


def samples(
    sources: Sequence[str], outputs: Sequence[str], references: Sequence[str]
) -> str:
    """Returns lines of the test set one below another: input, output, reference."""
    blocks = [
        f"  source     {sources[line]}\n"
        f"  output     {outputs[line]}\n"
        f"  reference  {references[line]}\n"
        for line in choose(SAMPLES, len(sources))
    ]
    return "\n".join(blocks)


def next_commands(run_dir: pathlib.Path, task: Task) -> str:
    """Returns the commands that a newcomer wants after the first training."""
    return f"""What to type next:
  source .venv/bin/activate
  echo '{task.example}' | nmt-decode --run_dir={run_dir}
Translate a file of yours, one {task.unit} a line:
  nmt-decode --run_dir={run_dir} --input=FILE --output=FILE
Train on parallel text of yours, line n of one file translated by line n of the other:
  nmt-train --source=FILE --target=FILE --run_dir=FOLDER
"""


def main(
    task: Task, run_dir: pathlib.Path, source: pathlib.Path, reference: pathlib.Path
) -> None:
    """Prints the report of one task."""
    outputs = read(run_dir / "test.output")
    print("Ten lines of the test set, evenly spread:\n")
    print(samples(read(source), outputs, read(reference)))
    print(f"This run:   {read(run_dir / 'test.score')[0]}")
    print(f"Published:  {task.published}\n")
    print(next_commands(run_dir, task), end="")


if __name__ == "__main__":
    if len(sys.argv) != 5 or sys.argv[1] not in TASKS:
        sys.exit("usage: quickstart_report.py TASK RUN_DIR SOURCE REFERENCE")
    main(TASKS[sys.argv[1]], *map(pathlib.Path, sys.argv[2:]))
