import hashlib
import pathlib
import urllib.error

import pytest

from tools import fetch_multi30k

NAME = "val.en.gz"
CONTENT = b"the published bytes"


@pytest.fixture
def published(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Publishes `CONTENT` as the only file; the list fills with downloaded names."""
    downloaded: list[str] = []

    def download(name: str) -> bytes:
        downloaded.append(name)
        return CONTENT

    checksum = hashlib.sha256(CONTENT).hexdigest()
    monkeypatch.setattr(fetch_multi30k, "CHECKSUMS", {NAME: checksum})
    monkeypatch.setattr(fetch_multi30k, "download", download)
    monkeypatch.delenv("NMT_DATA", raising=False)
    return downloaded


def test_missing_file_is_downloaded_once(
    tmp_path: pathlib.Path, published: list[str]
) -> None:
    assert fetch_multi30k.obtain(NAME, tmp_path, None) == "downloaded"
    assert fetch_multi30k.obtain(NAME, tmp_path, None) == "kept"
    assert published == [NAME]
    assert (tmp_path / NAME).read_bytes() == CONTENT
    assert [path.name for path in tmp_path.iterdir()] == [NAME]


def test_damaged_file_is_fetched_again(
    tmp_path: pathlib.Path, published: list[str]
) -> None:
    (tmp_path / NAME).write_bytes(CONTENT[:5])
    assert fetch_multi30k.obtain(NAME, tmp_path, None) == "downloaded"
    assert (tmp_path / NAME).read_bytes() == CONTENT


def test_file_at_hand_spares_the_download(
    tmp_path: pathlib.Path, published: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    given = tmp_path / "given" / "multi30k"
    given.mkdir(parents=True)
    (given / NAME).write_bytes(CONTENT)
    monkeypatch.setenv("NMT_DATA", str(tmp_path / "given"))
    fetch_multi30k.main(tmp_path / "made")
    assert published == []
    assert (tmp_path / "made" / NAME).read_bytes() == CONTENT


def test_wrong_file_at_hand_is_not_used(
    tmp_path: pathlib.Path, published: list[str]
) -> None:
    given = tmp_path / "given"
    given.mkdir()
    (given / NAME).write_bytes(b"something else")
    assert fetch_multi30k.obtain(NAME, tmp_path, given) == "downloaded"


def test_wrong_download_is_refused(
    tmp_path: pathlib.Path, published: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetch_multi30k, "download", lambda name: b"a log-in page")
    with pytest.raises(SystemExit, match=r"^cannot get Multi30k .*SHA-256"):
        fetch_multi30k.main(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_no_network_is_one_line(
    tmp_path: pathlib.Path, published: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreachable(name: str) -> bytes:
        raise urllib.error.URLError("no route to host")

    monkeypatch.setattr(fetch_multi30k, "download", unreachable)
    with pytest.raises(SystemExit) as caught:
        fetch_multi30k.main(tmp_path)
    assert str(caught.value) == "cannot download Multi30k (no route to host)"
