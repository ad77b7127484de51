"""Puts the English-French part of Multi30k (raw text, 1.3 MB) into a folder.

    python tools/fetch_multi30k.py FOLDER

Files that lie in FOLDER already are kept, then `$NMT_DATA/multi30k` is looked at, and
the rest is downloaded from the data set's public repository. Every file is checked
against its SHA-256. The data set is for non-commercial research (its texts describe
Flickr images): cite Elliott et al. (2016, 2017).
"""

import hashlib
import http.client
import os
import pathlib
import sys
import urllib.error
import urllib.request

URL = (
    "https://raw.githubusercontent.com/multi30k/dataset/"
    "a3d2e0d26b56f3846f66a952536ffed4e401d05a/data/task1/raw/"
)
# Seconds without an answer, for each address that the host has.
TIMEOUT = 5
CHECKSUMS = {
    "train.en.gz": "d79cfa999dd4c51d2cb42499b6796d5a882c3a8a961923c25a898c90f8bbd56f",
    "train.fr.gz": "622e75069e9f4c577425c4f277116ce66e63a2401c0a2312d90073cb12379a3c",
    "val.en.gz": "14f7d25ddd868909a9213e361768460edcacdd6ab9d1e77b92560dc10c10dc28",
    "val.fr.gz": "ca3106f1a72390591d25f6c45cb4cd39dec4cd3f123e099748a3ce5256c160e9",
    "test_2016_flickr.en.gz": (
        "611d361c6334bc7246101d48097c13cf5c4413c5befc793cc629934359d532d9"
    ),
    "test_2016_flickr.fr.gz": (
        "6d326e188d259fb1d04ac19eae3af956559b3a0b93d7635e56c90987c40c8b90"
    ),
}


def is_right(name: str, content: bytes) -> bool:
    """Tells whether `content` is the published file called `name`."""
    return hashlib.sha256(content).hexdigest() == CHECKSUMS[name]


def download(name: str) -> bytes:
    """Returns the published file called `name`.

    Raises:
        OSError: the host cannot be reached or has no such file.
    """
    with urllib.request.urlopen(URL + name, timeout=TIMEOUT) as response:
        content: bytes = response.read()
    return content


def obtain(name: str, folder: pathlib.Path, given: pathlib.Path | None) -> str:
    """Puts one file into `folder`, written whole or not at all.

    Args:
        name: A key of `CHECKSUMS`.
        folder: Where the file goes.
        given: A folder that may have the file already.

    Returns:
        Where it came from: `kept`, `copied` or `downloaded`.

    Raises:
        ValueError: the download is not the published file.
        OSError: it could not be downloaded or written.
    """
    path = folder / name
    if path.is_file() and is_right(name, path.read_bytes()):
        return "kept"
    how, content = "copied", b""
    if given and (given / name).is_file():
        content = (given / name).read_bytes()
    if not is_right(name, content):
        how, content = "downloaded", download(name)
        if not is_right(name, content):
            raise ValueError(f"{URL}{name}: wrong SHA-256; not the published file")
    partial = path.with_name(f"{name}.partial")
    partial.write_bytes(content)
    partial.replace(path)
    return how


def main(folder: pathlib.Path) -> None:
    """Fills `folder`; exits with one line on standard error if that fails."""
    given = os.environ.get("NMT_DATA")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in CHECKSUMS:
            source = pathlib.Path(given, "multi30k") if given else None
            print(f"Multi30k: {name} {obtain(name, folder, source)}.")
    except urllib.error.URLError as error:
        sys.exit(f"cannot download Multi30k ({error.reason})")
    except (OSError, ValueError, http.client.HTTPException) as error:
        sys.exit(f"cannot get Multi30k ({error})")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python tools/fetch_multi30k.py FOLDER")
    main(pathlib.Path(sys.argv[1]))
