"""Counts distinct tokens without handing every occurrence to Python."""

from collections import Counter
from collections.abc import Iterable

import tensorflow as tf

from nmt.data.text import LINES_PER_CALL, in_chunks
from nmt.data.tokenizers import Tokenizer


def add_counts(counts: Counter[str], tokens: tf.Tensor) -> None:
    """Adds the occurrences of `tokens` to `counts`.

    Args:
        counts: Changed in place.
        tokens: string, `[tokens]`.
    """
    distinct, _, occurrences = tf.unique_with_counts(tokens)
    for token, count in zip(
        distinct.numpy().tolist(), occurrences.numpy().tolist(), strict=True
    ):
        counts[token.decode()] += count


def count_tokens(lines: Iterable[str], tokenizer: Tokenizer) -> Counter[str]:
    """Counts how often each token occurs in a text.

    The memory grows with the distinct tokens (some 200 bytes each), not with the text.

    Args:
        lines: The text.
        tokenizer: Cuts the lines, as it will when the model is trained and served.

    Example:
        >>> from nmt.data.tokenizers import WordTokenizer
        >>> count_tokens(["a dog", "a cat"], WordTokenizer())
        Counter({'a': 2, 'dog': 1, 'cat': 1})
    """
    counts: Counter[str] = Counter()
    for chunk in in_chunks(lines, LINES_PER_CALL):
        add_counts(counts, tokenizer.tokenize(tf.constant(chunk)).flat_values)
    return counts
