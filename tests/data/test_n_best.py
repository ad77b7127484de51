"""N-best lists: what is read, what is kept, what is refused."""

import gzip
import itertools
import os
import pathlib
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nmt.data.n_best import NBestLine, read_n_best
from nmt.data.text import open_output
from nmt.errors import UserError

Write = Callable[[str, str | bytes], str]

LINE = "4 ||| a b ||| LM= -2.5 TM= -1 -3 ||| -7.25\n"

characters = st.characters(codec="utf-8", exclude_characters="\n\r\ufeff")
words = st.text(characters, min_size=1, max_size=5).filter(lambda x: not x.isspace())
hypotheses = st.lists(words | st.just("|||"), max_size=6).map(" ".join)
spaces = st.sampled_from([" ", "  ", "\t", " \t"])
values = st.floats(-1e6, 1e6).map("{:.4f}".format) | st.integers(-99, 99).map(str)
features = st.dictionaries(
    st.from_regex(r"[A-Za-z]+[0-9]?", fullmatch=True),
    st.lists(values, min_size=1, max_size=3),
    min_size=1,
    max_size=4,
)
# Moses' word alignments, and what other systems write there.
afterwards = st.lists(st.sampled_from(["0-0 1-2", "", "|0-1|", "x"]), max_size=2)


@st.composite
def lines(draw: st.DrawFn, number: int) -> tuple[str, str, dict[str, list[str]], str]:
    """A line, its hypothesis, its features and its total."""
    hypothesis, named, total = draw(hypotheses), draw(features), draw(values)
    field = " ".join(f"{name}= {' '.join(each)}" for name, each in named.items())
    fields = [str(number), hypothesis, field, total, *draw(afterwards)]
    text = fields[0]
    for each in fields[1:]:
        text += f"{draw(spaces)}|||{draw(spaces)}{each}"
    return text + draw(st.sampled_from(["\n", "\r\n"])), hypothesis, named, total


@st.composite
def files(draw: st.DrawFn) -> list[list[tuple[str, str, dict[str, list[str]], str]]]:
    ids = sorted(draw(st.sets(st.integers(0, 50), max_size=4)))
    return [draw(st.lists(lines(i), min_size=1, max_size=4)) for i in ids]


@given(files())
def test_what_is_written_is_read_back_equal(
    tmp_path_factory: pytest.TempPathFactory,
    content: list[list[tuple[str, str, dict[str, list[str]], str]]],
) -> None:
    path = str(tmp_path_factory.mktemp("lists") / "list.gz")
    text = "".join(line[0] for each in content for line in each)
    with open_output(path) as output:
        output.write(text)
    found = list(read_n_best(path))
    assert "".join(each.text for each in found) == text
    assert [len(each.lines) for each in found] == [len(each) for each in content]
    for read, written in zip(found, content, strict=True):
        for line, (_, hypothesis, named, total) in zip(
            read.lines, written, strict=True
        ):
            assert line.hypothesis == hypothesis.strip(" \t")
            assert line.total == float(total)
            assert line.features == {
                name: tuple(map(float, each)) for name, each in named.items()
            }


@given(lines(3))
def test_a_feature_changes_nothing_else(
    written: tuple[str, str, dict[str, list[str]], str],
) -> None:
    text, _, named, _ = written
    before = NBestLine.parse(text)
    once = before.with_feature("lstm_4", "-1.500000")
    twice = once.with_feature("lstm_4", "-2.500000")
    # What was added stands together, and without it the line is as it was.
    added = " lstm_4= -1.500000 lstm_4= -2.500000"
    assert twice.text.count(added) == 1
    assert twice.text.replace(added, "") == text
    read = NBestLine.parse(twice.text)
    assert read == twice
    assert (read.id, read.hypothesis, read.total) == (
        before.id,
        before.hypothesis,
        before.total,
    )
    assert list(read.features) == [*named, "lstm_4"]
    assert read.features == {**before.features, "lstm_4": (-1.5, -2.5)}


@pytest.mark.parametrize(
    ("line", "hypothesis", "features", "total"),
    [
        ("0 |||  ||| LM= -1 ||| -2", "", {"LM": (-1,)}, -2),
        ("0 ||| ||| LM= -1 ||| -2", "", {"LM": (-1,)}, -2),
        ("0 ||| a |||  ||| -2", "a", {}, -2),
        ("0 ||| a ||| ||| -2", "a", {}, -2),
        ("0 ||| a ||| 1 2 ||| -2 ||| 0-0", "a", {}, -2),
        ("0 ||| a ||| d: 0 lm: -1 -2 ||| -2", "a", {"d": (0,), "lm": (-1, -2)}, -2),
        ("0 ||| a ||| tm_0=-1.5 nan= nan ||| -2e1", "a", {"tm_0": (-1.5,)}, -20),
        ("0 ||| a ||| whatever this is ||| +.5", "a", {}, 0.5),
        ("0 ||| a ||| b ||| c= 1 ||| -2 ||| 3", "a ||| b", {"c": (1,)}, -2),
        ("0 ||| a ||| c= 1 ||| -2 ||| 0=0 1=1 ||| 5", "a", {"c": (1,)}, -2),
        ("0 ||| a ||| -3 -4 ||| -1 ||| 12", "a", {}, -1),
        ("0 ||| a ||| ||| -1 ||| 12", "a", {}, -1),
        ("0 ||| a||| b |||c ||| c= 1 ||| -2", "a||| b |||c", {"c": (1,)}, -2),
        ("007\t|||\ta b\t|||\tc= 1\t|||\t-2\t", "a b", {"c": (1,)}, -2),
        (
            "0 ||| a\u2028b\x85\u00a0 ||| c= 1 ||| -2",
            "a\u2028b\x85\u00a0",
            {"c": (1,)},
            -2,
        ),
    ],
)
def test_odd_lines(
    line: str, hypothesis: str, features: dict[str, tuple[float, ...]], total: float
) -> None:
    found = NBestLine.parse(line)
    assert found.text == line
    assert (found.hypothesis, found.total) == (hypothesis, total)
    assert {k: v for k, v in found.features.items() if k != "nan"} == features
    assert found.feature_names == set(found.features)
    added = found.with_feature("new", "-9")
    assert added.features["new"] == (-9,)
    assert (added.hypothesis, added.total) == (hypothesis, total)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "1 fields where"),
        ("4 ||| a b ||| LM= -1", "3 fields where"),
        ("4 ||| a b ||| LM= -1 |||", "there is no total"),
        ("4 ||| a b ||| LM= -1 ||| nan", "there is no total"),
        ("4 ||| a b ||| LM= -1 ||| 1_0", "there is no total"),
        ("x ||| a b ||| LM= -1 ||| -2", "the id is 'x'"),
        (f"{5000 * '9'} ||| a b ||| LM= -1 ||| -2", "the id is '999"),
        ("4 ||| a b ||| LM= -1 ||| 1e999", "the total 1e999 is too large"),
        ("-1 ||| a b ||| LM= -1 ||| -2", "the id is '-1'"),
        ("\u0663 ||| a b ||| LM= -1 ||| -2", "the id is"),
        ("||| a b ||| LM= -1 ||| -2", "the id is ''"),
        (LINE.replace("4", "3", 1), "id 3 after id 4; sort"),
        (LINE.replace("4", "5", 1), "id 5, but there are only 5 source lines"),
        (b"4 ||| \xff ||| LM= -1 ||| -2", "invalid UTF-8 at byte 7"),
    ],
)
def test_bad_lines_are_refused_with_their_number(
    write: Write, line: str | bytes, message: str
) -> None:
    bad = line.encode() if isinstance(line, str) else line
    path = write("list", LINE.encode() * 2 + bad + b"\n")
    with pytest.raises(UserError, match=rf"list:3: {message}"):
        list(read_n_best(path, sentences=5))


def test_lists_before_a_bad_line_are_yielded(write: Write) -> None:
    found = read_n_best(write("list", LINE + LINE.replace("4", "6", 1) + "bad\n"))
    assert next(found).text == LINE
    with pytest.raises(UserError, match="list:3: 1 fields"):
        next(found)


def test_gaps_and_ragged_lists(write: Write) -> None:
    text = "".join(LINE.replace("4", str(i), 1) for i in (0, 0, 0, 2, 7, 7))
    path = write("list.gz", gzip.compress(text.encode()))
    found = list(read_n_best(path, sentences=8))
    assert [(each.id, len(each.lines)) for each in found] == [(0, 3), (2, 1), (7, 2)]
    assert list(read_n_best(write("empty", ""))) == []


def test_another_order_keeps_mark_and_ends_in_their_places(write: Write) -> None:
    rows = [f"1 ||| {word} ||| c= 1 ||| -2" for word in "abc"]
    path = write("list", f"\ufeff{rows[0]}\r\n{rows[1]}\n{rows[2]}".encode())
    (found,) = read_n_best(path)
    assert found.hypotheses == ["a", "b", "c"]
    moved = found.reordered([2, 0, 1])
    assert moved.text == f"\ufeff{rows[2]}\r\n{rows[0]}\n{rows[1]}"
    assert moved.hypotheses == ["c", "a", "b"]
    with pytest.raises(ValueError, match="zip"):
        found.reordered([0])


@pytest.mark.skipif("NMT_DATA" not in os.environ, reason="NMT_DATA is not set")
def test_real_lists_are_kept() -> None:
    folder = pathlib.Path(os.environ["NMT_DATA"]) / "multi30k" / "nbest"
    path = folder / "test_2016_flickr.en-fr.nbest100.gz"
    with gzip.open(path, "rb") as raw:
        content = b"".join(itertools.islice(raw, 1000))
    found = list(itertools.islice(read_n_best(str(path)), 10))
    assert "".join(each.text for each in found).encode() == content
    first = found[0].lines[0]
    assert len(first.features["TranslationModel0"]) == 4
    assert first.total == max(line.total for line in found[0].lines)
