"""What a translator makes of a line, and a summary of many."""

import dataclasses
import time

# Line numbers that the summary names.
_NUMBERS_SHOWN = 10


@dataclasses.dataclass(frozen=True)
class Hypothesis:
    """One way to translate a line.

    Attributes:
        text: As a reader would expect it.
        tokens: Target tokens, without the end of sentence.
        log_prob: Nats: sum over the tokens and the end of sentence.
        finished: Whether there was an end of sentence before the length limit.
        score: What it is ranked by: the log probability over the length penalty.
    """

    text: str
    tokens: tuple[str, ...]
    log_prob: float
    finished: bool
    score: float


@dataclasses.dataclass(frozen=True)
class Translation:
    """What became of one line.

    Attributes:
        source_tokens: Tokens of the line. 0 for a blank line, whose translation is
            empty, with a log probability of 0, and made without the model.
        n_best: Hypotheses: finished ones first, among them the best score; distinct, at
            least one.
    """

    source_tokens: int
    n_best: tuple[Hypothesis, ...]

    @property
    def text(self) -> str:
        """The text of the best hypothesis."""
        return self.n_best[0].text

    @property
    def tokens(self) -> tuple[str, ...]:
        """The tokens of the best hypothesis."""
        return self.n_best[0].tokens

    @property
    def log_prob(self) -> float:
        """The log probability of the best hypothesis, in nats."""
        return self.n_best[0].log_prob

    @property
    def finished(self) -> bool:
        """Whether the best hypothesis is finished."""
        return self.n_best[0].finished


BLANK = Translation(0, (Hypothesis("", (), 0.0, True, 0.0),))


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
        unfinished: The lines whose best hypothesis was cut at the length limit.
    """

    def __init__(self) -> None:
        self.sentences = 0
        self.target_tokens = 0
        self.blank = NumberedLines()
        self.unfinished = NumberedLines()
        self._began = time.monotonic()

    def add(self, translation: Translation) -> None:
        """Counts the translation of the next line."""
        self.sentences += 1
        self.target_tokens += len(translation.tokens)
        if not translation.source_tokens:
            self.blank.add(self.sentences)
        if not translation.finished:
            self.unfinished.add(self.sentences)

    def text(self) -> str:
        """Returns the counts and the speed since the report was made."""
        seconds = max(time.monotonic() - self._began, 1e-9)
        return (
            f"{self.sentences:,} lines in {seconds:.1f} s: "
            f"{self.sentences / seconds:,.1f} sentences/s, "
            f"{self.target_tokens / seconds:,.1f} target tokens/s; "
            f"blank: {self.blank.text()}; "
            f"cut at the length limit: {self.unfinished.text()}"
        )
