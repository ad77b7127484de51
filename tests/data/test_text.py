"""Lines, and files that appear whole."""

import errno
import gzip
import io
import os
import pathlib
import sys
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nmt.data.text import (
    check_outputs,
    count_pairs,
    in_chunks,
    open_output,
    read_lines,
    read_whole_lines,
    replace_file,
)
from nmt.errors import UserError

Write = Callable[[str, str | bytes], str]

# Where `str.splitlines` and text mode would cut, and this system does not.
NO_LINE_ENDS = ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e"]


def read(path: str) -> list[str]:
    return list(read_lines(path))


@pytest.mark.parametrize("character", [*NO_LINE_ENDS, "\r"], ids=ascii)
def test_lines_are_cut_at_newlines_only(write: Write, character: str) -> None:
    path = write("text", f"a{character}b\nc\n")
    assert read(path) == [f"a{character}b", "c"]


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"", []),
        (b"\n", [""]),
        (b"a", ["a"]),
        (b"a\n", ["a"]),
        (b"a\n\n", ["a", ""]),
        (b"a\r\nb\r\n", ["a", "b"]),
        (b"a\r\r\nb", ["a\r", "b"]),
        (b"\xef\xbb\xbfa\n\xef\xbb\xbfb\n", ["a", "\ufeffb"]),
    ],
)
def test_ends_of_lines_and_the_byte_order_mark(
    write: Write, content: bytes, lines: list[str]
) -> None:
    assert read(write("text", content)) == lines
    assert read(write("text.gz", gzip.compress(content))) == lines


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n\r\ufeff"))))
def test_reading_gives_what_was_written(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str]
) -> None:
    path = str(tmp_path_factory.mktemp("lines") / "text.gz")
    with open_output(path) as output:
        output.writelines(line + "\n" for line in lines)
    assert read(path) == lines


def test_lines_before_invalid_utf8_are_yielded(write: Write) -> None:
    path = write("text", b"a\nb\nc\xff\nd\n")
    lines = read_lines(path)
    assert [next(lines), next(lines)] == ["a", "b"]
    with pytest.raises(UserError, match=rf"{path}:3: invalid UTF-8 at byte 2"):
        next(lines)


@pytest.mark.parametrize("content", [b"\xed\xa0\x80", b"\xc0\xaf", b"\xf5\x80\x80\x80"])
def test_bytes_that_only_look_like_utf8_are_refused(
    write: Write, content: bytes
) -> None:
    with pytest.raises(UserError, match=":1: invalid UTF-8"):
        read(write("text", content))


def test_a_missing_file_is_named(tmp_path: pathlib.Path) -> None:
    with pytest.raises(UserError, match="nowhere: no such file"):
        read(str(tmp_path / "nowhere"))


def test_a_folder_is_no_file(tmp_path: pathlib.Path) -> None:
    with pytest.raises(UserError, match="cannot be read"):
        read(str(tmp_path))


@pytest.mark.parametrize(
    "content",
    [b"plain text", gzip.compress(b"a\n" * 99)[:-9]],
    ids=["plain text", "cut short"],
)
def test_a_damaged_gz_is_named(write: Write, content: bytes) -> None:
    path = write("text.gz", content)
    with pytest.raises(UserError, match=rf"{path}: cannot be read"):
        read(path)


def test_minus_is_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    stdin = io.TextIOWrapper(io.BytesIO("a\u2028b\r\nc".encode()))
    monkeypatch.setattr(sys, "stdin", stdin)
    assert read("-") == ["a\u2028b", "c"]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a\n\xff")))
    with pytest.raises(UserError, match="standard input:2: invalid UTF-8"):
        read("-")


def test_minus_is_standard_output(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    sys.stdout.write("before\n")
    with open_output("-") as output:
        output.write("é\n")
    sys.stdout.write("after\n")
    assert capfdbinary.readouterr().out == "before\né\nafter\n".encode()


@pytest.mark.parametrize("name", ["text", "text.gz"])
def test_output_appears_whole(tmp_path: pathlib.Path, name: str) -> None:
    path = tmp_path / name
    with open_output(str(path)) as output:
        output.write("a\r\nb\u2028c\n")
        output.flush()
        assert not path.exists()
    assert read(str(path)) == ["a", "b\u2028c"]
    assert [file.name for file in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", ["text", "text.gz"])
def test_an_exception_leaves_the_old_content(tmp_path: pathlib.Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"old")

    def interrupted() -> None:
        with open_output(str(path)) as output:
            output.write("new")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_bytes() == b"old"
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_equal_text_gives_equal_gz_bytes(tmp_path: pathlib.Path) -> None:
    for name in ("one.gz", "two.gz"):
        with open_output(str(tmp_path / name)) as output:
            output.write("a\n")
    assert (tmp_path / "one.gz").read_bytes() == (tmp_path / "two.gz").read_bytes()


def test_a_link_keeps_being_a_link(tmp_path: pathlib.Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "file")
    replace_file(link, "new")
    assert link.is_symlink()
    assert (tmp_path / "file").read_text() == "new"


def test_a_device_is_written_to_and_stays() -> None:
    replace_file("/dev/null", "gone")
    assert pathlib.Path("/dev/null").is_char_device()


@pytest.mark.parametrize("path", ["no/such/folder/text", "."])
def test_an_impossible_output_is_named(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match=path), open_output(path):
        pass


def test_replace_file_takes_bytes_and_text(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "file"
    replace_file(path, "é")
    assert path.read_bytes() == "é".encode()
    replace_file(path, b"\xff")
    assert path.read_bytes() == b"\xff"


def test_pairs_are_counted_as_they_are_read(write: Write) -> None:
    source = write("source", "a\u2028b\rc\nd")
    assert count_pairs(source, write("target.gz", gzip.compress(b"a\nb\n"))) == 2


def test_unequal_numbers_of_lines_are_both_named(write: Write) -> None:
    source, target = write("source", "a\nb\nc\n"), write("target", "a\nb")
    with pytest.raises(UserError, match=rf"{source} has 3 lines but {target} has 2"):
        count_pairs(source, target)


@given(st.lists(st.sampled_from("ab"), max_size=12), st.integers(1, 5))
def test_chunks_are_the_lines_in_order(lines: list[str], size: int) -> None:
    chunks = list(in_chunks(lines, size))
    assert [line for chunk in chunks for line in chunk] == lines
    assert all(len(chunk) == size for chunk in chunks[:-1])
    assert all(chunks)


def test_whole_lines_are_the_file(write: Write) -> None:
    content = b"\xef\xbb\xbfa\r\nb\x0c\r\r\n\n\nc"
    lines = list(read_whole_lines(write("text", content)))
    assert lines == ["\ufeffa\r\n", "b\x0c\r\r\n", "\n", "\n", "c"]
    assert "".join(lines).encode() == content


def test_two_writers_of_one_file_each_write_it_whole(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "text"
    with open_output(str(path)) as one, open_output(str(path)) as other:
        one.write("one\n" * 3)
        other.write("other\n")
    assert path.read_text() == "one\n" * 3
    assert os.listdir(tmp_path) == ["text"]


def test_no_file_is_written_that_is_read_or_written_already(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    pathlib.Path("text").write_text("")
    pathlib.Path("link").symlink_to("text")
    check_outputs({"output": "new", "alignments": ""}, {"input": "text", "prefix": ""})
    # Only outputs matter, and devices can be written twice.
    check_outputs({"output": "new"}, {"input": "text", "prefix": "text"})
    check_outputs({"output": os.devnull, "alignments": os.devnull}, {})
    for outputs, inputs, message in (
        (
            {"output": "new", "alignments": "./new"},
            {},
            "output and alignments are both",
        ),
        ({"output": "link"}, {"input": "text"}, "input and output are both link"),
        (
            {"alignments": str(tmp_path / "text")},
            {"prefix": "link"},
            "prefix and align",
        ),
    ):
        with pytest.raises(UserError, match=message):
            check_outputs(outputs, inputs)


def test_a_full_disk_is_named(tmp_path: pathlib.Path) -> None:
    path = str(tmp_path / "text")
    with (
        pytest.raises(UserError, match="text: cannot be written: No space"),
        open_output(path),
    ):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert os.listdir(tmp_path) == []
