"""Ways to cut a line into tokens and to join tokens into a line again.

Every tokenizer is made of TensorFlow string operations alone. The same code counts
words for the vocabulary, encodes the corpus, and runs in an exported model, so that all
of them agree on every character. A tokenizer written in Python would not: `str.split`
cuts at a no-break space where `tf.strings.split` does not.
"""

from typing import Protocol

import tensorflow as tf

# The white space at which lines are cut; all of it ASCII.
_WHITE_SPACE = "[ \\t\\n\\v\\f\\r]"
# A line of nothing but these characters is empty; the set of Python's `str.isspace`.
_BLANK_LINE = "[\\s\\v\\x1c-\\x1f\\x{85}\\pZ]*"
# Stands for a space among characters, which are tokens without white space.
_SPACE_TOKEN = "\u2581"


class Tokenizer(Protocol):
    """Cuts lines into tokens, and back.

    Attributes:
        name: What the setting `source_tokenizer` or `target_tokenizer` calls it.
    """

    name: str

    def tokenize(self, lines: tf.Tensor) -> tf.RaggedTensor:
        """Cuts lines into tokens.

        Args:
            lines: string, `[batch]`, UTF-8.

        Returns:
            string, `[batch, (tokens)]`. A blank line has no tokens.
        """

    def detokenize(self, tokens: tf.RaggedTensor) -> tf.Tensor:
        """Joins tokens into lines that a reader would expect.

        Args:
            tokens: string, `[batch, (tokens)]`.

        Returns:
            string, `[batch]`. No tokens give an empty line.
        """


class WordTokenizer:
    r"""Words as they stand between white space: blanks and `\t \n \v \f \r`.

    Other white space, a no-break space say, belongs to the word, as it does for Moses.
    For text that is tokenized already.

    Example:
        >>> tokens = WordTokenizer().tokenize(tf.constant(["a  dog", ""]))
        >>> tokens.to_list()
        [[b'a', b'dog'], []]
        >>> WordTokenizer().detokenize(tokens).numpy().tolist()
        [b'a dog', b'']
    """

    name = "words"

    def tokenize(self, lines: tf.Tensor) -> tf.RaggedTensor:
        """Cuts lines at white space; see `Tokenizer.tokenize`."""
        return tf.strings.split(_without_blank_lines(lines))

    def detokenize(self, tokens: tf.RaggedTensor) -> tf.Tensor:
        """Joins words by single spaces; see `Tokenizer.detokenize`."""
        return tf.strings.reduce_join(tokens, axis=-1, separator=" ")


class CharacterTokenizer:
    r"""Characters (code points), with `\u2581` for white space between words.

    White space at the ends of a line is dropped; every other white-space character is
    one token. A `\u2581` of the text itself comes back as a space.

    Example:
        >>> tokens = CharacterTokenizer().tokenize(tf.constant([" a dog "]))
        >>> [token.decode() for token in tokens.to_list()[0]]
        ['a', '▁', 'd', 'o', 'g']
        >>> CharacterTokenizer().detokenize(tokens).numpy().tolist()
        [b'a dog']
    """

    name = "characters"

    def tokenize(self, lines: tf.Tensor) -> tf.RaggedTensor:
        """Cuts lines between code points; see `Tokenizer.tokenize`."""
        lines = tf.strings.strip(_without_blank_lines(lines))
        lines = tf.strings.regex_replace(lines, _WHITE_SPACE, _SPACE_TOKEN)
        return tf.strings.unicode_split(lines, "UTF-8")

    def detokenize(self, tokens: tf.RaggedTensor) -> tf.Tensor:
        """Joins characters, `▁` as a space; see `Tokenizer.detokenize`."""
        lines = tf.strings.reduce_join(tokens, axis=-1)
        return tf.strings.regex_replace(lines, _SPACE_TOKEN, " ")


def _without_blank_lines(lines: tf.Tensor) -> tf.Tensor:
    return tf.where(tf.strings.regex_full_match(lines, _BLANK_LINE), "", lines)
