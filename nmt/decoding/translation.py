"""What a translator makes of a line."""

import dataclasses

import numpy as np


@dataclasses.dataclass(frozen=True)
class Hypothesis:
    """One way to translate a line.

    Attributes:
        text: As a reader would expect it, unknown words replaced where that was asked
            for.
        tokens: Target tokens as the model wrote them, without the end of sentence.
        log_prob: Nats: sum over the tokens and the end of sentence.
        finished: Whether there was an end of sentence before the length limit.
        score: What it is ranked by, see `SearchOptions`.
        alignment: alpha_ij, float32, `[target_len, source_len]`: how much token i
            looked at source token j, each row summing to one. The last column is the
            end of the source, and so is the last row that of a finished hypothesis.
            None: not asked for, or no model attends.
    """

    text: str
    tokens: tuple[str, ...]
    log_prob: float
    finished: bool
    score: float
    alignment: np.ndarray | None = None


@dataclasses.dataclass(frozen=True)
class Translation:
    """What became of one line.

    Attributes:
        source: Tokens of the line as they stand in the text, as many as were read.
            Empty for a blank line, whose translation is empty, with a log probability
            of 0, and made without the model.
        n_best: Hypotheses: finished ones first, among them the best score; of distinct
            texts, at least one.
        source_tokens: Tokens of the whole line.
        is_long: Whether these are more than the model was trained for.
    """

    source: tuple[str, ...]
    n_best: tuple[Hypothesis, ...]
    source_tokens: int
    is_long: bool = False

    @property
    def is_cut(self) -> bool:
        """Whether a part of the line was not read."""
        return self.source_tokens > len(self.source)

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


# A blank line, and what it is where alignments are told.
BLANK = Translation((), (Hypothesis("", (), 0.0, True, 0.0),), source_tokens=0)
BLANK_ALIGNED = Translation(
    (), (Hypothesis("", (), 0.0, True, 0.0, np.zeros([0, 0])),), source_tokens=0
)
