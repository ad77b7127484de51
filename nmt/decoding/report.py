"""What became of all lines: counts, line numbers, speed."""

import dataclasses
import time

from nmt.decoding.translation import Translation

# Line numbers that the summary names.
_NUMBERS_SHOWN = 10


@dataclasses.dataclass
class NumberedLines:
    """How many lines something happened to, and the first of them.

    Attributes:
        count: How many.
        first: The numbers of the first ones, from 1.
    """

    count: int = 0
    first: list[int] = dataclasses.field(default_factory=list)

    def add(self, number: int) -> None:
        """Counts the line of this number."""
        self.count += 1
        if self.count <= _NUMBERS_SHOWN:
            self.first.append(number)

    def text(self) -> str:
        """Returns the count and the numbers.

        Example:
            >>> NumberedLines(2, [3, 17]).text()
            '2 (lines 3, 17)'
        """
        if not self.count:
            return "0"
        numbers = ", ".join(map(str, self.first))
        more = ", ..." if self.count > len(self.first) else ""
        return f"{self.count:,} (lines {numbers}{more})"


class DecodingReport:
    """Counts translations as they are made.

    Attributes:
        sentences: Lines so far, blank ones included.
        target_tokens: Tokens of the best hypotheses, without ends of sentence.
        blank: The lines without a token.
        long: The lines that are longer than the model was trained for.
        cut: Those of them of which only the beginning was translated.
        unfinished: The lines whose best hypothesis was cut at the length limit.

    Args:
        lines_before: Lines of the file that come before the first one counted.
    """

    def __init__(self, lines_before: int = 0) -> None:
        self.sentences = 0
        self.target_tokens = 0
        self.blank = NumberedLines()
        self.long = NumberedLines()
        self.cut = NumberedLines()
        self.unfinished = NumberedLines()
        self._lines_before = lines_before
        self._began = time.monotonic()

    def add(self, translation: Translation) -> None:
        """Counts the translation of the next line."""
        self.sentences += 1
        self.target_tokens += len(translation.tokens)
        number = self._lines_before + self.sentences
        happened = {
            "blank": not translation.source_tokens,
            "long": translation.is_long,
            "cut": translation.is_cut,
            "unfinished": not translation.finished,
        }
        for name, is_so in happened.items():
            if is_so:
                getattr(self, name).add(number)

    @property
    def has_losses(self) -> bool:
        """Whether a line was not translated from its beginning to its end."""
        return bool(self.cut.count or self.unfinished.count)

    def text(self) -> str:
        """Returns the counts and the speed since the report was made."""
        seconds = max(time.monotonic() - self._began, 1e-9)
        return (
            f"{self.sentences:,} lines in {seconds:.1f} s: "
            f"{self.sentences / seconds:,.1f} sentences/s, "
            f"{self.target_tokens / seconds:,.1f} target tokens/s; "
            f"blank: {self.blank.text()}; "
            f"longer than in training: {self.long.text()}, "
            f"of these cut: {self.cut.text()}; "
            f"unfinished at the length limit: {self.unfinished.text()}"
        )
