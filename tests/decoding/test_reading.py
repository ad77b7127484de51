"""What is made of a search's tensors: texts, distinct ones, and where they looked."""

import numpy as np
import pytest
import tensorflow as tf

from nmt.data.codec import TextCodec
from nmt.data.tokenizers import WordTokenizer
from nmt.data.vocabulary import EOS_ID, UNK_ID, Vocabulary
from nmt.decoding.hypotheses import Hypotheses
from nmt.decoding.reading import Reader
from nmt.decoding.search_options import SearchOptions
from nmt.decoding.translation import Hypothesis
from nmt.decoding.translation_options import TranslationOptions
from tests.tolerance import assert_close

TOKENS = ["a", "b", "ab", "c"]
SOURCE_TOKENS = [("A", "B"), ("C",)]


class Pieces(WordTokenizer):
    """Tokens are pieces of one word."""

    def detokenize(self, tokens: tf.RaggedTensor) -> tf.Tensor:
        return tf.strings.reduce_join(tokens, axis=-1)


class Looker:
    """Hypothesis and position are told by the weights, so that a mix-up would show."""

    def __init__(self) -> None:
        self.asked = 0

    def alignments(self, source: tf.Tensor, target: tf.Tensor) -> tf.Tensor:
        self.asked += np.count_nonzero(target.numpy().any(axis=1))
        ids = tf.cast(target, tf.float32)[:, :, tf.newaxis]
        return ids + tf.range(3.0) / 10


@pytest.fixture
def looker() -> Looker:
    return Looker()


@pytest.fixture
def reader(looker: Looker) -> Reader:
    return Reader(
        TextCodec(Pieces(), Vocabulary.build(dict.fromkeys(TOKENS, 1), 8)), looker
    )


def ids_of(text: str) -> list[int]:
    known = {"a": 4, "ab": 5, "b": 6, "c": 7, "?": UNK_ID, ".": EOS_ID}
    return [known[token] for token in text.split()]


def found(*rows: list[tuple[str, float]]) -> Hypotheses:
    """Hypotheses of sentences from their tokens and log probabilities."""
    shape = len(rows), len(rows[0])
    ids, lengths = np.zeros([*shape, 5], np.int32), np.zeros(shape, np.int32)
    finished, log_probs = np.zeros(shape, bool), np.zeros(shape, np.float32)
    for row, hypotheses in enumerate(rows):
        for slot, (text, log_prob) in enumerate(hypotheses):
            words = ids_of(text)
            ids[row, slot, : len(words)] = words
            lengths[row, slot] = len(words)
            finished[row, slot] = text.endswith(".")
            log_probs[row, slot] = log_prob
    return Hypotheses(
        *map(tf.constant, (ids, lengths, log_probs, finished)), tf.zeros(shape)
    )


def read(
    reader: Reader, hypotheses: Hypotheses, options: TranslationOptions
) -> list[tuple[Hypothesis, ...]]:
    source = tf.constant([[4, 5, EOS_ID], [6, EOS_ID, 0]])
    return reader.read(hypotheses, source, SOURCE_TOKENS, options)


NOTHING = ("", -np.inf)
FOUND = found(
    [("a b .", -1.0), ("ab .", -2.0), ("c .", -3.0), ("c c", -2.5)],
    [("? .", -0.5), ("ab", -1.0), NOTHING, NOTHING],
)


def test_one_text_is_told_once_with_its_best_tokens(reader: Reader) -> None:
    first, second = read(reader, FOUND, TranslationOptions(4, n_best=3))
    assert [each.text for each in first] == ["ab", "c", "cc"]
    assert first[0].tokens == ("a", "b")
    assert [each.log_prob for each in first] == [-1.0, -3.0, -2.5]
    assert [each.finished for each in first] == [True, True, False]
    # There are no more.
    assert [each.text for each in second] == ["<unk>", "ab"]


def test_no_more_than_asked_for(reader: Reader, looker: Looker) -> None:
    for n_best in (1, 2):
        options = TranslationOptions(4, n_best=n_best)
        assert list(map(len, read(reader, FOUND, options))) == [n_best, n_best]
    assert looker.asked == 0


def test_score_has_its_penalty(reader: Reader) -> None:
    options = TranslationOptions(4, search=SearchOptions(length_penalty=1.0))
    (first,), _ = read(reader, FOUND, options)
    assert first.log_prob == -1.0
    assert first.score == pytest.approx(-1.0 / ((5 + 3) / 6))


def test_sentence_without_a_hypothesis_is_left_empty(reader: Reader) -> None:
    nothing = found([NOTHING], [("a", -1.0)])
    assert read(reader, nothing, TranslationOptions(1))[0] == ()
    everywhere = read(reader, found([NOTHING], [NOTHING]), TranslationOptions(1))
    assert everywhere == [(), ()]


def test_alignments_are_as_long_as_both_sides(reader: Reader, looker: Looker) -> None:
    options = TranslationOptions(4, n_best=3, alignments=True)
    first, second = read(reader, FOUND, options)
    # Ends of sentences count; each row begins with the id of its token.
    rows = [ids_of("a b ."), ids_of("c ."), ids_of("c c"), ids_of("? ."), ids_of("ab")]
    for each, ids, columns in zip(
        (*first, *second), rows, [3, 3, 3, 2, 2], strict=True
    ):
        expected = np.add.outer(ids, np.arange(columns) / 10)
        assert_close(each.alignment, expected, "float32")
    assert looker.asked == 5


def test_unknown_words_are_replaced_in_the_text(reader: Reader, looker: Looker) -> None:
    options = TranslationOptions(4, n_best=2, dictionary={"C": "\u00e7"})
    _, second = read(reader, FOUND, options)
    assert [each.text for each in second] == ["\u00e7", "ab"]
    assert second[0].tokens == ("<unk>",)
    assert second[0].alignment is None
    # Nothing else needs a look.
    assert looker.asked == 1


def test_texts_are_distinct_after_the_replacement(reader: Reader) -> None:
    # Each unknown word looks at the last word of its sentence, B or C.
    both = found(
        [("? .", -1.0), ("b .", -2.0), ("c ? .", -3.0)],
        [("? .", -1.0), ("? ? .", -2.0), NOTHING],
    )
    options = TranslationOptions(3, n_best=3, dictionary={"B": "b"}, alignments=True)
    first, second = read(reader, both, options)
    assert [each.text for each in first] == ["b", "cb"]
    assert [each.log_prob for each in first] == [-1.0, -3.0]
    assert [each.text for each in second] == ["C", "CC"]
    assert [len(each.alignment) for each in (*first, *second)] == [2, 3, 2, 3]
