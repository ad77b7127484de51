"""Checks that translations depend neither on batches nor on the order of the lines.

    python tools/check_decoding.py --run_dir=RUN --input=FILE

For each beam size the lines are translated in batches of 1, 7 and 64, as they stand,
shuffled and sorted by length; every way must give the same text for every line, and the
same log probability to 1e-4. Lines that differ are listed, and the exit status is 1.
"""

import argparse
import random
import sys
from collections.abc import Callable, Sequence

from nmt.data.text import read_lines
from nmt.decoding import Translation, TranslationOptions, Translator
from nmt.models.run_folder import RunFolder
from nmt.progress import Progress

# Nats that log probabilities may be apart.
_TOLERANCE = 1e-4

Order = Callable[[Sequence[str]], list[int]]


def _as_they_stand(lines: Sequence[str]) -> list[int]:
    return list(range(len(lines)))


def _shuffled(lines: Sequence[str]) -> list[int]:
    places = _as_they_stand(lines)
    random.Random(1).shuffle(places)
    return places


def _longest_first(lines: Sequence[str]) -> list[int]:
    return sorted(_as_they_stand(lines), key=lambda place: -len(lines[place]))


# Batch sizes and orders; the others are compared with the first.
WAYS: tuple[tuple[str, int, Order], ...] = (
    ("64, as they stand", 64, _as_they_stand),
    ("64, shuffled", 64, _shuffled),
    ("64, longest first", 64, _longest_first),
    ("7, as they stand", 7, _as_they_stand),
    ("7, shuffled", 7, _shuffled),
    ("1, as they stand", 1, _as_they_stand),
)


def translate(
    translator: Translator,
    lines: Sequence[str],
    beam_size: int,
    batch_size: int,
    order: Order,
) -> list[Translation]:
    """Translates the lines in some order, and returns the results in theirs."""
    places = order(lines)
    options = TranslationOptions(
        beam_size=beam_size, n_best=beam_size, batch_size=batch_size
    )
    with Progress("translating", total=len(lines), unit="lines") as progress:
        made = translator.translate(
            [lines[place] for place in places], options, progress=progress.show
        )
        by_place = dict(zip(places, made, strict=True))
    return [by_place[place] for place in range(len(lines))]


def differences(
    first: Sequence[Translation], second: Sequence[Translation]
) -> tuple[list[int], float]:
    """Returns the lines whose lists differ, and how far log probabilities are apart.

    Args:
        first: N-best lists.
        second: Of the same lines.

    Returns:
        Numbers, from 1, of the lines with other texts, and the largest distance of the
        log probabilities, nats, of the others.
    """
    different, largest = [], 0.0
    for number, pair in enumerate(zip(first, second, strict=True), start=1):
        texts = [[each.text for each in made.n_best] for made in pair]
        if texts[0] != texts[1]:
            different.append(number)
            continue
        for one, other in zip(pair[0].n_best, pair[1].n_best, strict=True):
            largest = max(largest, abs(one.log_prob - other.log_prob))
    return different, largest


def check(
    translator: Translator, lines: Sequence[str], beam_sizes: Sequence[int]
) -> bool:
    """Prints a row for each beam size and way; returns whether all are the same."""
    is_same = True
    print("beam  batch, order         best differ  lists differ  log prob apart")
    for beam_size in beam_sizes:
        made = [
            translate(translator, lines, beam_size, batch_size, order)
            for _, batch_size, order in WAYS
        ]
        for (name, _, _), other in zip(WAYS[1:], made[1:], strict=True):
            lists, apart = differences(made[0], other)
            best = [
                number
                for number in lists
                if made[0][number - 1].text != other[number - 1].text
            ]
            is_same &= not best and apart <= _TOLERANCE
            print(
                f"{beam_size:4}  {name:20} {len(best):11} {len(lists):13} {apart:15.1e}"
            )
            if lists:
                print(f"      lines {', '.join(map(str, lists[:20]))}")
    return is_same


def main() -> None:
    """Reads the command line, translates and compares."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--run_dir", required=True, help="folder of the training")
    parser.add_argument("--input", required=True, help="text to translate")
    parser.add_argument("--beam_size", default="1,2,12", help="with commas between")
    flags = parser.parse_args()
    translator = Translator(RunFolder(flags.run_dir).load_model())
    beam_sizes = [int(size) for size in flags.beam_size.split(",")]
    if not check(translator, list(read_lines(flags.input)), beam_sizes):
        sys.exit(1)


if __name__ == "__main__":
    main()
