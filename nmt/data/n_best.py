"""N-best lists as Moses and its kin write them, line by line.

    id ||| hypothesis ||| Name0= value ... Name1= value ... ||| total

`id` is the number of the source line, from 0. Lines of an id are together, ids ascend,
and there may be gaps between them. What follows the total, such as an alignment, is
kept. `|||` between white space (or at an end of the line) is what cuts a line; a
hypothesis may have it, too: the total is the first field that is a number and comes
after one of features.

A line is kept byte for byte but for the features that are added to it.
"""

import contextlib
import dataclasses
import itertools
import math
import re
from collections.abc import Generator, Iterable, Iterator

from nmt.data.text import BYTE_ORDER_MARK, read_whole_lines
from nmt.errors import UserError

_MARK = "|||"
# Of an id: far more than there are lines in any file.
_MOST_DIGITS = 15
_SEPARATOR = re.compile(r"(?<![^ \t])\|\|\|(?![^ \t\r\n])")
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_IS_NUMBER = re.compile(_NUMBER, re.ASCII)
_IS_VALUE = re.compile(rf"{_NUMBER}|[-+]?(?:inf(?:inity)?|nan)", re.ASCII | re.I)
# With the value in the same token, or in the next ones.
_IS_NAME = re.compile(r"(\S+?)[=:]|(\S+?)=(\S+)")


@dataclasses.dataclass(frozen=True)
class NBestLine:
    """One hypothesis of a list.

    Attributes:
        fields: The text of the line, white space and end of line included, cut at
            `|||`: joined by it they are the line.
        place: Which of them is the total.
        id: Number of the source line, from 0.
    """

    fields: tuple[str, ...]
    place: int
    id: int

    @classmethod
    def parse(cls, line: str) -> "NBestLine":
        r"""Reads a line.

        Args:
            line: With or without its end.

        Raises:
            UserError: it is no line of an n-best list; why, but not where.

        Example:
            >>> line = NBestLine.parse("7 ||| a ||| b ||| LM= -2 -1 ||| -3.5 ||| 0-0\n")
            >>> line.id, line.hypothesis, line.features, line.total
            (7, 'a ||| b', {'LM': (-2.0, -1.0)}, -3.5)
            >>> line.with_feature("lstm", "-9").text
            '7 ||| a ||| b ||| LM= -2 -1 lstm= -9 ||| -3.5 ||| 0-0\n'
        """
        fields = tuple(_SEPARATOR.split(line))
        if len(fields) < 4:
            raise UserError(
                f"{len(fields)} fields where an n-best list has at least 4: "
                "id ||| hypothesis ||| features ||| total"
            )
        number = fields[0].strip(" \t")
        is_number = number.isascii() and number.isdecimal()
        if not is_number or len(number) > _MOST_DIGITS:
            raise UserError(
                f"the id is {number[:40]!r}; give the number of the source line, from 0"
            )
        parsed = cls(fields, _place_of_total(fields), int(number))
        if not math.isfinite(parsed.total):
            raise UserError(f"the total {fields[parsed.place].strip()} is too large")
        return parsed

    @property
    def text(self) -> str:
        """The whole line, end included."""
        return _MARK.join(self.fields)

    @property
    def hypothesis(self) -> str:
        """The words, without white space around them."""
        return _MARK.join(self.fields[1 : self.place - 1]).strip(" \t")

    @property
    def total(self) -> float:
        """The system's own score: higher is better."""
        return float(self.fields[self.place])

    @property
    def feature_names(self) -> frozenset[str]:
        """The names of `features`, found more quickly than their values."""
        names = set()
        for token in self.fields[self.place - 1].split():
            if token[-1] in "=:":
                names.add(token[:-1])
            elif ("=" in token or ":" in token) and (named := _IS_NAME.match(token)):
                names.add(named[1] or named[2])
        return frozenset(names)

    @property
    def features(self) -> dict[str, tuple[float, ...]]:
        """The values of every named feature, those of equal names after each other."""
        values: dict[str, tuple[float, ...]] = {}
        name = ""
        for token in self.fields[self.place - 1].split():
            if _IS_VALUE.fullmatch(token):
                if name:
                    values[name] += (float(token),)
            elif named := _IS_NAME.fullmatch(token):
                name = named[1] or named[2]
                values.setdefault(name, ())
                if named[3] and _IS_VALUE.fullmatch(named[3]):
                    values[name] += (float(named[3]),)
        return values

    def with_feature(self, name: str, value: str) -> "NBestLine":
        """Returns the line with one more feature after the others.

        Args:
            name: Without white space.
            value: A number as it is to be written.
        """
        features = self.fields[self.place - 1]
        others = features.rstrip(" \t")
        added = f"{others} {name}= {value}{features[len(others) :]}"
        fields = list(self.fields)
        fields[self.place - 1] = added
        return dataclasses.replace(self, fields=tuple(fields))


@dataclasses.dataclass(frozen=True)
class NBestList:
    """The hypotheses of one sentence, in the order of the file.

    Attributes:
        id: Number of the source line, from 0.
        lines: At least one.
    """

    id: int
    lines: tuple[NBestLine, ...]

    @property
    def text(self) -> str:
        """All lines, ends included."""
        return "".join(line.text for line in self.lines)

    @property
    def hypotheses(self) -> list[str]:
        """The words of each."""
        return [line.hypothesis for line in self.lines]

    def reordered(self, places: Iterable[int]) -> "NBestList":
        """Returns the lines in another order; every place keeps its end of line.

        Args:
            places: Of all lines, the new first one first.
        """
        lines = [
            _with_edges_of(place, self.lines[other])
            for place, other in zip(self.lines, places, strict=True)
        ]
        return NBestList(self.id, tuple(lines))


def read_n_best(path: str, sentences: int | None = None) -> Iterator[NBestList]:
    """Yields the lists of a file, one at a time.

    Args:
        path: File to read; `-` is standard input, `.gz` is decompressed.
        sentences: How many source lines there are: ids are below it. None: unknown.

    Yields:
        Lists in ascending order of their ids. Their texts, put together, are the file.

    Raises:
        UserError: the file cannot be read, or a line is not UTF-8, lacks a field, has
            an id that is no number, too high or lower than the one before, or a total
            that is no number: with file and number of the line.
    """
    with contextlib.closing(_read_lines(path, sentences)) as lines:
        for number, group in itertools.groupby(lines, key=lambda line: line.id):
            yield NBestList(number, tuple(group))


def _read_lines(path: str, sentences: int | None) -> Generator[NBestLine, None, None]:
    name = "standard input" if path == "-" else path
    last = 0
    with contextlib.closing(read_whole_lines(path)) as texts:
        for number, text in enumerate(texts, start=1):
            # The mark is no part of the id, but of the file.
            mark = text[:1] if number == 1 and text[:1] == BYTE_ORDER_MARK else ""
            try:
                line = NBestLine.parse(text[len(mark) :])
                if line.id < last:
                    raise UserError(
                        f"id {line.id} after id {last}; sort the lists by their ids"
                    )
                if sentences is not None and line.id >= sentences:
                    raise UserError(
                        f"id {line.id}, but there are only {sentences:,} source lines, "
                        "the first of which is 0"
                    )
            except UserError as error:
                raise UserError(f"{name}:{number}: {error}") from error
            last = line.id
            if mark:
                fields = (mark + line.fields[0], *line.fields[1:])
                line = dataclasses.replace(line, fields=fields)
            yield line


def _place_of_total(fields: tuple[str, ...]) -> int:
    """Finds the total: the first number after named features, or else after others.

    Raises:
        UserError: there is none.
    """
    places = [
        place
        for place in range(3, len(fields))
        if _IS_NUMBER.fullmatch(fields[place].strip())
    ]
    if not places:
        raise UserError("there is no total: a number after the features")
    named = [place for place in places if _are_features(fields[place - 1])]
    bare = [place for place in places if _are_values(fields[place - 1])]
    return (named or bare or places)[0]


def _are_features(field: str) -> bool:
    tokens = field.split()
    return bool(tokens and _IS_NAME.fullmatch(tokens[0])) and all(
        _IS_VALUE.fullmatch(token) or _IS_NAME.fullmatch(token) for token in tokens
    )


def _are_values(field: str) -> bool:
    return all(map(_IS_VALUE.fullmatch, field.split()))


def _with_edges_of(place: NBestLine, line: NBestLine) -> NBestLine:
    """Gives a line the byte order mark and the end of the one whose place it takes."""
    mark, end = _edges(place)
    first = mark + line.fields[0].removeprefix(BYTE_ORDER_MARK)
    last = line.fields[-1].removesuffix(_edges(line)[1]) + end
    return dataclasses.replace(line, fields=(first, *line.fields[1:-1], last))


def _edges(line: NBestLine) -> tuple[str, str]:
    last = line.fields[-1]
    mark = BYTE_ORDER_MARK if line.fields[0].startswith(BYTE_ORDER_MARK) else ""
    return mark, last[len(last.rstrip("\r\n")) :]
