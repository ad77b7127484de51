"""One side's way from text to token ids and back, when trained and when served."""

import hashlib
import pathlib
from collections.abc import Sequence
from typing import NamedTuple

import tensorflow as tf

from nmt.data.sentencepiece import (
    SentencePieceTokenizer,
    sentencepiece_vocabulary,
)
from nmt.data.text import replace_file
from nmt.data.tokenizers import CharacterTokenizer, Tokenizer, WordTokenizer
from nmt.data.vocabulary import UNK_ID, Vocabulary
from nmt.errors import UserError


class Encoded(NamedTuple):
    """Lines as ids.

    Attributes:
        ids: int32, `[batch, (tokens)]`; no end of sentence, no padding.
        unknown_tokens: string, `[unknown tokens]`; those that became `unk_id`.
    """

    ids: tf.RaggedTensor
    unknown_tokens: tf.Tensor


class TextCodec(tf.Module):
    """Turns lines into token ids and token ids into lines.

    Lookup table and tokenizer are attributes of a `tf.Module`, so that a model that has
    the codec as an attribute saves them with it. With words and characters only core
    TensorFlow operations are used; a saved model with sentencepiece needs
    `tensorflow_text` to load.

    Attributes:
        tokenizer: Cuts lines into tokens.
        vocabulary: The tokens that have an id of their own.

    Args:
        tokenizer: Cuts lines into tokens.
        vocabulary: The tokens that have an id of their own.

    Example:
        >>> codec = TextCodec(WordTokenizer(), Vocabulary.build({"a": 2, "dog": 1}, 6))
        >>> codec.encode(tf.constant(["a dog", "a cat"])).to_list()
        [[4, 5], [4, 1]]
        >>> codec.decode(tf.ragged.constant([[4, 5], [4, 1]])).numpy().tolist()
        [b'a dog', b'a <unk>']
    """

    def __init__(self, tokenizer: Tokenizer, vocabulary: Vocabulary) -> None:
        super().__init__(name="text_codec")
        self.tokenizer = tokenizer
        self.vocabulary = vocabulary
        self._table = vocabulary.lookup_table()
        self._tokens = tf.constant(vocabulary.tokens, tf.string)

    @classmethod
    def load(cls, folder: pathlib.Path, side: str, tokenizer: str) -> "TextCodec":
        """Reads what `save` wrote.

        Args:
            folder: The run folder.
            side: `source` or `target`.
            tokenizer: `words`, `characters` or `sentencepiece`.

        Raises:
            UserError: a file is missing or damaged.
        """
        if tokenizer != SentencePieceTokenizer.name:
            vocabulary = Vocabulary.load(str(_vocabulary_path(folder, side)))
            return cls(core_tokenizer(tokenizer), vocabulary)
        path = _model_path(folder, side)
        model = read_model(path)
        vocabulary = sentencepiece_vocabulary(model, str(path))
        # The model has the pieces too; the file is for readers, and to see that the
        # model is still the one of this training.
        listed = _vocabulary_path(folder, side)
        if listed.exists() and Vocabulary.load(str(listed)).tokens != vocabulary.tokens:
            raise UserError(f"{listed}: does not list the pieces of {path.name}")
        return cls(SentencePieceTokenizer(model), vocabulary)

    def save(self, folder: pathlib.Path, side: str) -> None:
        """Writes `SIDE.vocab` and, for sentencepiece, `SIDE.model` into `folder`."""
        if isinstance(self.tokenizer, SentencePieceTokenizer):
            replace_file(_model_path(folder, side), self.tokenizer.model)
        # Last: where there is a vocabulary, all is there.
        self.vocabulary.save(_vocabulary_path(folder, side))

    @property
    def vocabulary_size(self) -> int:
        """Number of ids, the four special ones included."""
        return self.vocabulary.size

    def encode(self, lines: tf.Tensor) -> tf.RaggedTensor:
        """Cuts lines into tokens and looks up their ids.

        Args:
            lines: string, `[batch]`.

        Returns:
            int32, `[batch, (tokens)]`; no end of sentence, no padding.
        """
        return self.encode_with_unknowns(lines).ids

    def encode_with_unknowns(self, lines: tf.Tensor) -> Encoded:
        """Does what `encode` does and also returns the tokens that have no id.

        Args:
            lines: string, `[batch]`.
        """
        tokens = self.tokenizer.tokenize(lines)
        ids = self._table.lookup(tokens.flat_values)
        unknown = tf.boolean_mask(tokens.flat_values, ids == UNK_ID)
        return Encoded(tokens.with_flat_values(ids), unknown)

    def decode(self, ids: tf.RaggedTensor) -> tf.Tensor:
        """Turns ids into lines as a reader would expect them.

        Args:
            ids: int32, `[batch, (tokens)]`; no end of sentence, no padding.

        Returns:
            string, `[batch]`.
        """
        tokens = tf.gather(self._tokens, ids.flat_values)
        return self.tokenizer.detokenize(ids.with_flat_values(tokens))

    def tokens(self, ids: Sequence[int]) -> list[str]:
        """Returns the tokens of one line of ids, special ones included."""
        return [self.vocabulary.tokens[i] for i in ids]

    def digest(self) -> str:
        """Returns a fingerprint: equal digests encode equal lines equally."""
        parts = [self.tokenizer.name, self.vocabulary.digest()]
        if isinstance(self.tokenizer, SentencePieceTokenizer):
            parts.append(hashlib.sha256(self.tokenizer.model).hexdigest())
        return hashlib.sha256(" ".join(parts).encode()).hexdigest()


def core_tokenizer(name: str) -> Tokenizer:
    """Makes the tokenizer of this name that needs nothing but TensorFlow.

    Raises:
        UserError: there is no such tokenizer.
    """
    for tokenizer in (WordTokenizer(), CharacterTokenizer()):
        if tokenizer.name == name:
            return tokenizer
    raise UserError(
        f"tokenizer {name!r}: choose {WordTokenizer.name}, {CharacterTokenizer.name} "
        f"or {SentencePieceTokenizer.name}"
    )


def read_model(path: pathlib.Path) -> bytes:
    """Reads a sentencepiece model.

    Raises:
        UserError: the file cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise UserError(f"{path}: no sentencepiece model: {error.strerror}") from error


def _vocabulary_path(folder: pathlib.Path, side: str) -> pathlib.Path:
    return folder / f"{side}.vocab"


def _model_path(folder: pathlib.Path, side: str) -> pathlib.Path:
    return folder / f"{side}.model"
