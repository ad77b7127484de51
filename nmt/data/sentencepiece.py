"""Subword units for raw text: pieces of words, learned from the training text.

The model is trained by the `sentencepiece` package and runs as an operation of
`tensorflow_text`. Both are imported only here, and only when they are used.
"""

import io
from collections.abc import Iterable
from typing import Any

import tensorflow as tf

from nmt.data.vocabulary import (
    BOS_ID,
    EOS_ID,
    PAD_ID,
    SPECIAL_TOKENS,
    UNK_ID,
    Vocabulary,
    check_rows,
)
from nmt.errors import UserError

# Lines of a large corpus that the pieces are learned from, drawn by the trainer.
_TRAINING_LINES = 500_000


class SentencePieceTokenizer(tf.Module):
    """Subword pieces; a piece that starts a word starts with `\u2581`.

    The text is normalized (Unicode NFKC, runs of white space to one space) before it is
    cut, so that what `detokenize` gives is the normalized line.

    Args:
        model: The trained model, as `train_sentencepiece` returns it.
    """

    name = "sentencepiece"

    def __init__(self, model: bytes) -> None:
        super().__init__(name="sentencepiece")
        self.model = model

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def tokenize(self, lines: tf.Tensor) -> tf.RaggedTensor:
        """Cuts lines into pieces; see `Tokenizer.tokenize`."""
        return self._operation().tokenize(lines)

    @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.string)])
    def detokenize(self, tokens: tf.RaggedTensor) -> tf.Tensor:
        """Joins pieces into plain text; see `Tokenizer.detokenize`."""
        return self._operation().detokenize(tokens)

    def _operation(self) -> Any:
        import tensorflow_text

        # Made inside each graph. Outside of one, the loaded model belongs to a kernel
        # that TensorFlow forgets as soon as anyone sets a random seed.
        return tensorflow_text.SentencepieceTokenizer(self.model, out_type=tf.string)


def register_operations() -> None:
    """Makes saved models with this tokenizer loadable.

    Raises:
        UserError: `tensorflow_text` is not installed.
    """
    try:
        import tensorflow_text  # noqa: F401
    except ImportError as error:
        raise UserError("the model needs tensorflow-text: pip install it") from error


def train_sentencepiece(lines: Iterable[str], size: int) -> bytes:
    """Learns pieces by byte-pair encoding (Sennrich et al., 2016, arXiv:1508.07909).

    At first every character is a piece; then, again and again, the two neighbours that
    occur together most often within words become a piece of their own. A frequent word
    ends up whole, a rare one in pieces that it shares with others. (The trainer's
    default, a unigram language model, never takes for a piece a word that always stands
    between the same spaces, as all do in tokenised text.)

    Equal lines give equal models. Of a large corpus a sample of lines is used, so that
    memory stays bounded.

    Args:
        lines: The training text.
        size: Most pieces, the four special ones included; a small text gives fewer.

    Returns:
        The serialized model, whose first ids are those of `SPECIAL_TOKENS`.

    Raises:
        UserError: the text is empty, or `size` is less than its characters.
    """
    import sentencepiece

    model = io.BytesIO()
    try:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(lines),
            model_writer=model,
            vocab_size=size,
            model_type="bpe",
            hard_vocab_limit=False,
            input_sentence_size=_TRAINING_LINES,
            shuffle_input_sentence=True,
            # One character in 100,000 may stay unknown: the stray scripts of web text
            # would fill the vocabulary.
            character_coverage=0.99999,
            pad_id=PAD_ID,
            unk_id=UNK_ID,
            bos_id=BOS_ID,
            eos_id=EOS_ID,
            pad_piece=SPECIAL_TOKENS[PAD_ID],
            minloglevel=2,
        )
    except RuntimeError as error:
        # The reason follows a place in the trainer's source and the failed condition.
        reason = str(error).rpartition("] ")[2] or "the text is empty"
        raise UserError(
            f"no sentencepiece model of {size} rows can be learned: {reason}"
        ) from error
    return model.getvalue()


def sentencepiece_vocabulary(model: bytes, where: str = "sentencepiece") -> Vocabulary:
    """Lists the pieces of a model in the order of their ids.

    Args:
        model: A serialized model.
        where: What to call the model in an error.

    Raises:
        UserError: it is no sentencepiece model, its special ids are not ours, or a
            piece has white space in it.
    """
    import sentencepiece

    try:
        processor = sentencepiece.SentencePieceProcessor(model_proto=model)
    except RuntimeError as error:
        raise UserError(f"{where}: not a sentencepiece model") from error
    pieces = tuple(processor.id_to_piece(i) for i in range(processor.get_piece_size()))
    if pieces[: len(SPECIAL_TOKENS)] != SPECIAL_TOKENS:
        raise UserError(
            f"{where}: the first pieces are {' '.join(pieces[:4])}; train the model "
            "with --pad_id=0 --unk_id=1 --bos_id=2 --eos_id=3"
        )
    check_rows(where, pieces[len(SPECIAL_TOKENS) :], first=len(SPECIAL_TOKENS) + 1)
    return Vocabulary(pieces)
