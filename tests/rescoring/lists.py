"""Small lists, a model for them, and what rescoring is asked for."""

import pathlib
from typing import Any

from nmt.data.n_best import NBestLine, NBestList
from nmt.rescoring.request import RescoringRequest

SOURCES = ["w1 w2 w3", "w4", "w5 w6 never", "w7 w8"]
REFERENCES = ["w1 w2 w3 w4 w5", "w6 w7", "w8 w9 w1 w2", "w3 w4 w5 w6"]
# Ragged, with a gap, an empty hypothesis, unknown words, a mark, odd spacing and ends.
LISTS = (
    "0 ||| w1 w2 w3 ||| LM= -1.5 TM= -1 -2 ||| -3.25\n"
    "0 ||| w1 w2 w3 w4 ||| LM= -2 TM= -1 -2 ||| -3.5 ||| 0-0 1-1\r\n"
    "0 |||  ||| LM= -9 TM= -1 -2 ||| -4\n"
    "2  |||  w8 ||| unheard ||| LM= -1 TM= -3 -4  |||  -1\n"
    "2 ||| w8 w9 w1 w2 |||\tLM= -2 TM= -3 -4 ||| -9\n"
    "3 ||| w3 w4 w5 w6 ||| LM= -2 TM= -3 -4 ||| -2"
)


def a_list(*rows: tuple[str, str, float], number: int = 0) -> NBestList:
    """Makes a list of rows of a hypothesis, its features and its total."""
    lines = [
        NBestLine.parse(f"{number} ||| {words} ||| {features} ||| {total}\n")
        for words, features, total in rows
    ]
    return NBestList(number, tuple(lines))


def write_files(folder: pathlib.Path) -> None:
    """Writes source, reference and lists."""
    for name, lines in (("source", SOURCES), ("reference", REFERENCES)):
        text = "".join(f"{line}\n" for line in lines)
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "n_best").write_bytes(LISTS.encode())


def request_for(
    folder: pathlib.Path, *run_dirs: str, **others: Any
) -> RescoringRequest:
    """Returns a request for the files that `write_files` writes."""
    return RescoringRequest(
        **{
            "run_dirs": run_dirs,
            "source": str(folder / "source"),
            "n_best": str(folder / "n_best"),
            "output": str(folder / "output"),
            "bleu_tokenizer": "none",
            "bootstrap_samples": 0,
            **others,
        }
    )
