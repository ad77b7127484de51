"""Makes a codec from training text: counts its tokens or learns its pieces."""

import pathlib
from collections.abc import Iterator, Sequence

from nmt.data.codec import TextCodec, core_tokenizer, read_model
from nmt.data.sentencepiece import (
    SentencePieceTokenizer,
    sentencepiece_vocabulary,
    train_sentencepiece,
)
from nmt.data.text import LINES_PER_CALL, ProgressCallback, read_lines
from nmt.data.token_counts import count_tokens
from nmt.data.vocabulary import Vocabulary


def build_codec(
    side: str,
    paths: Sequence[str],
    tokenizer: str,
    size: int,
    minimum_count: int,
    vocabulary_path: str,
    folder: pathlib.Path,
    progress: ProgressCallback,
) -> TextCodec:
    """Makes one side's codec from its training text and saves it.

    Args:
        side: `source` or `target`.
        paths: The training text of this side.
        tokenizer: `words`, `characters` or `sentencepiece`.
        size: Most rows of the vocabulary, the four special ones included.
        minimum_count: Words and characters seen fewer times become unknown.
        vocabulary_path: A vocabulary to use as it is, for sentencepiece a trained
            model; empty: built from the text.
        folder: The run folder.
        progress: Called as the text is read.

    Raises:
        UserError: the text or the given vocabulary cannot be used.
    """
    lines = _lines(paths, progress)
    if tokenizer == SentencePieceTokenizer.name:
        if vocabulary_path:
            model = read_model(pathlib.Path(vocabulary_path))
        else:
            model = train_sentencepiece(lines, size)
        vocabulary = sentencepiece_vocabulary(model, vocabulary_path or tokenizer)
        codec = TextCodec(SentencePieceTokenizer(model), vocabulary)
    else:
        cutter = core_tokenizer(tokenizer)
        if vocabulary_path:
            vocabulary = Vocabulary.load(vocabulary_path)
        else:
            counts = count_tokens(lines, cutter)
            vocabulary = Vocabulary.build(counts, size, minimum_count)
        codec = TextCodec(cutter, vocabulary)
    codec.save(folder, side)
    return codec


def _lines(paths: Sequence[str], progress: ProgressCallback) -> Iterator[str]:
    done = 0
    for path in paths:
        for line in read_lines(path):
            yield line
            done += 1
            if done % LINES_PER_CALL == 0:
                progress(done, None)
    progress(done, None)
