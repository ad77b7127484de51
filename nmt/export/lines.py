"""Lines of a request as the models read them, inside a graph."""

from typing import NamedTuple

import tensorflow as tf

from nmt.data.codec import TextCodec


class Lines(NamedTuple):
    """Text and its ids.

    Attributes:
        ids: int32, `[lines, (tokens)]`: those that are read.
        tokens: string, `[lines, (tokens)]`: likewise, as they stand in the text.
        lengths: int32, `[lines]`: how many.
        is_cut: bool, `[lines]`: whether there were more.
    """

    ids: tf.RaggedTensor
    tokens: tf.RaggedTensor
    lengths: tf.Tensor
    is_cut: tf.Tensor


def read_lines(codec: TextCodec, lines: tf.Tensor, longest: int | None = None) -> Lines:
    """Cuts lines into tokens; bytes that are no UTF-8 become U+FFFD.

    Args:
        codec: Of their side.
        lines: string, `[lines]`.
        longest: Most tokens of a line that are read; None: all.
    """
    lines = tf.strings.unicode_transcode(lines, "UTF-8", "UTF-8", errors="replace")
    ids = codec.encode(lines)
    tokens = codec.tokenizer.tokenize(lines)
    lengths = tf.cast(ids.row_lengths(), tf.int32)
    if longest is None:
        return Lines(ids, tokens, lengths, tf.zeros_like(lengths, tf.bool))
    return Lines(
        ids[:, :longest],
        tokens[:, :longest],
        tf.minimum(lengths, longest),
        lengths > longest,
    )
