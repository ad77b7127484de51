"""The tokens that a model knows, in the order of their ids."""

import hashlib
import heapq
import os
from collections.abc import Mapping, Sequence

import tensorflow as tf

from nmt.data.text import read_lines, replace_file
from nmt.errors import UserError

PAD_ID = 0
UNK_ID = 1
BOS_ID = 2
EOS_ID = 3
# The first rows of every vocabulary: padding, unknown token, beginning and end.
SPECIAL_TOKENS = ("<pad>", "<unk>", "<s>", "</s>")

# The white space that separates words, so that no token can contain it.
_WHITE_SPACE = " \t\n\v\f\r"


class Vocabulary:
    """A list of distinct tokens; the id of a token is its place in the list.

    Attributes:
        tokens: All tokens, the four special ones first.

    Args:
        tokens: All tokens, the four special ones first.

    Example:
        >>> vocabulary = Vocabulary.build({"a": 1, "dog": 3, "cat": 3}, size=6)
        >>> vocabulary.tokens
        ('<pad>', '<unk>', '<s>', '</s>', 'cat', 'dog')
        >>> vocabulary.lookup_table().lookup(tf.constant(["dog", "a", "</s>"])).numpy()
        array([5, 1, 1], dtype=int32)
    """

    def __init__(self, tokens: Sequence[str]) -> None:
        self.tokens = tuple(tokens)
        if self.tokens[: len(SPECIAL_TOKENS)] != SPECIAL_TOKENS:
            raise ValueError(f"A vocabulary starts with {SPECIAL_TOKENS}.")
        if len(set(self.tokens)) != len(self.tokens):
            raise ValueError("The tokens of a vocabulary are distinct.")

    @classmethod
    def build(
        cls, counts: Mapping[str, int], size: int, minimum_count: int = 1
    ) -> "Vocabulary":
        """Keeps the commonest tokens; among equally common ones, by code point.

        Args:
            counts: How often each token was seen. Special tokens are ignored: where the
                text contains one literally, it is an unknown token.
            size: Most rows of the vocabulary, the four special ones included.
            minimum_count: Tokens seen fewer times are left out.

        Raises:
            UserError: no token is left.
        """
        kept = heapq.nsmallest(
            size - len(SPECIAL_TOKENS),
            (
                (-count, token)
                for token, count in counts.items()
                if count >= minimum_count and token not in SPECIAL_TOKENS
            ),
        )
        if not kept:
            raise UserError(
                f"no token of the text enters a vocabulary of {size} rows with at "
                f"least {minimum_count} occurrences; is the text empty?"
            )
        return cls(SPECIAL_TOKENS + tuple(token for _, token in kept))

    @classmethod
    def load(cls, path: str) -> "Vocabulary":
        """Reads one token a line, as it is, with or without the four special rows.

        Raises:
            UserError: a row is blank, a duplicate, has white space in it (a column of
                counts, say) or is a special token out of place; with the row number.
        """
        rows = list(read_lines(path))
        has_special_rows = tuple(rows[: len(SPECIAL_TOKENS)]) == SPECIAL_TOKENS
        ordinary = rows[len(SPECIAL_TOKENS) :] if has_special_rows else rows
        check_rows(path, ordinary, first=len(rows) - len(ordinary) + 1)
        return cls(SPECIAL_TOKENS + tuple(ordinary))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes one token a line, special rows included, whole or not at all."""
        replace_file(path, "".join(f"{token}\n" for token in self.tokens))

    @property
    def size(self) -> int:
        """Number of tokens, the four special ones included."""
        return len(self.tokens)

    def digest(self) -> str:
        """Returns a fingerprint: equal for equal tokens in equal order."""
        return hashlib.sha256("\n".join(self.tokens).encode()).hexdigest()

    def lookup_table(self) -> tf.lookup.StaticHashTable:
        """Makes a table from token (string) to id (int32).

        Unknown tokens give `UNK_ID`; so do the special tokens, since they mean
        something only when the system itself adds them.
        """
        ordinary = self.tokens[len(SPECIAL_TOKENS) :]
        initializer = tf.lookup.KeyValueTensorInitializer(
            tf.constant(ordinary, tf.string),
            tf.range(len(SPECIAL_TOKENS), self.size, dtype=tf.int32),
        )
        return tf.lookup.StaticHashTable(initializer, default_value=UNK_ID)


def check_rows(path: str, rows: Sequence[str], first: int) -> None:
    """Refuses rows that are not one token each.

    Args:
        path: Where they come from, for the error.
        rows: The tokens, special ones left out.
        first: The number of the first row.

    Raises:
        UserError: the first odd row, with its number.
    """
    if not rows:
        raise UserError(f"{path}: the vocabulary has no tokens")
    seen: dict[str, int] = {}
    for row, token in enumerate(rows, start=first):
        where = f"{path}:{row}: "
        if not token.strip(_WHITE_SPACE):
            raise UserError(f"{where}blank row; a vocabulary has one token a row")
        if any(character in token for character in _WHITE_SPACE):
            raise UserError(
                f"{where}white space in {token!r}; a vocabulary has one token a row "
                "and no counts"
            )
        if token in SPECIAL_TOKENS:
            raise UserError(
                f"{where}{token} out of place; start the file with the rows "
                f"{' '.join(SPECIAL_TOKENS)}, or leave all four out"
            )
        if token in seen:
            raise UserError(f"{where}{token!r} is already in row {seen[token]}")
        seen[token] = row
