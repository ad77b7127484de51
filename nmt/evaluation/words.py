"""Words of a vocabulary in the text: how rare they are, and where there are others."""

import dataclasses
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from nmt.data.vocabulary import SPECIAL_TOKENS, Vocabulary
from nmt.errors import UserError
from nmt.evaluation.score import Score

# What separates words elsewhere too: a no-break space is part of its word.
_WORD = re.compile(r"[^ \t\n\v\f\r]+")
_PIECE_MARK = "\u2581"


class RankedWords(NamedTuple):
    """The words of a vocabulary file, commonest first.

    Attributes:
        path: The file.
        ranks: Of each word: 1 for the commonest.
    """

    path: str
    ranks: Mapping[str, int]

    @property
    def unknown_rank(self) -> int:
        """What counts as the rank of every other word: that after the last one."""
        return len(self.ranks) + 1

    def line_ranks(self, line: str) -> list[int]:
        """Returns the ranks of the words of a line.

        Example:
            >>> RankedWords("file", {"a": 1, "dog": 2}).line_ranks("a small dog")
            [1, 3, 2]
        """
        return [self.ranks.get(word, self.unknown_rank) for word in _words(line)]

    def knows(self, line: str) -> bool:
        """Tells whether no word of a line is unknown."""
        return all(word in self.ranks for word in _words(line))

    def check(self, lines: Iterable[str], path: str) -> None:
        """Refuses a text of which it knows less than half of the words.

        Raises:
            UserError: it is not the vocabulary of this text.
        """
        ranks = [rank for line in lines for rank in self.line_ranks(line)]
        known = len(ranks) - ranks.count(self.unknown_rank)
        if 2 * known < len(ranks):
            raise UserError(
                f"{self.path}: only {known:,} of {len(ranks):,} words of {path} are in "
                "it; give the vocabulary of this side, of words as they stand between "
                "spaces in the text"
            )


@dataclasses.dataclass(frozen=True)
class KnownLines:
    """Scores of the lines without an unknown word, in source and reference.

    The "No UNK" column of table 1 of Bahdanau et al. (2015), except that their decoder
    was also kept from writing unknown words.

    Attributes:
        source_vocabulary: The file of the source's words.
        target_vocabulary: The file of the reference's words.
        lines: How many there are.
        scores: One a metric; none where there are no lines.
    """

    source_vocabulary: str
    target_vocabulary: str
    lines: int
    scores: tuple[Score, ...]


def read_ranked_words(path: str) -> RankedWords:
    """Reads a vocabulary file, sorted by frequency, with or without special tokens.

    Raises:
        UserError: the file is no vocabulary, or one of subwords.
    """
    tokens = Vocabulary.load(path).tokens[len(SPECIAL_TOKENS) :]
    for token in tokens:
        if _PIECE_MARK in token:
            raise UserError(
                f"{path}: has pieces of words such as {token!r}, but whole words are "
                "looked up; give a vocabulary of words, a line each, commonest first, "
                "such as that of a run whose tokenizer is `words`"
            )
    return RankedWords(path, {token: rank for rank, token in enumerate(tokens, 1)})


def known_lines(
    sources: Sequence[str],
    references: Sequence[tuple[str, ...]],
    source_words: RankedWords,
    target_words: RankedWords,
) -> list[bool]:
    """Tells of each line whether its source and references have no unknown word.

    Lines of equal source stand or fall together, so that none of several right answers
    is left out.

    Example:
        >>> words = RankedWords("file", {"a": 1, "dog": 2})
        >>> known_lines(["a dog", "a cat"], [("a",), ("a",)], words, words)
        [True, False]
    """
    unknown = {
        source
        for source, right in zip(sources, references, strict=True)
        if not (source_words.knows(source) and all(map(target_words.knows, right)))
    }
    return [source not in unknown for source in sources]


def _words(line: str) -> list[str]:
    return _WORD.findall(line)
