"""Subword models: their ids, their text and what is refused."""

import io
import sys

import numpy as np
import pytest
import sentencepiece
import tensorflow as tf

from nmt.data.sentencepiece import (
    SentencePieceTokenizer,
    register_operations,
    sentencepiece_vocabulary,
    train_sentencepiece,
)
from nmt.data.vocabulary import SPECIAL_TOKENS, UNK_ID
from nmt.errors import UserError

LINES = ["The dog runs.", "The dogs run in the park, don't they?", "A park."] * 20


@pytest.fixture(scope="module")
def model() -> bytes:
    return train_sentencepiece(LINES, size=60)


@pytest.fixture(scope="module")
def tokenizer(model: bytes) -> SentencePieceTokenizer:
    return SentencePieceTokenizer(model)


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    register_operations()
    monkeypatch.setitem(sys.modules, "tensorflow_text", None)
    with pytest.raises(UserError, match="needs tensorflow-text"):
        register_operations()


def test_special_tokens_have_the_first_ids(model: bytes) -> None:
    vocabulary = sentencepiece_vocabulary(model)
    assert vocabulary.tokens[:4] == SPECIAL_TOKENS
    assert vocabulary.size <= 60
    assert "\u2581" in vocabulary.tokens


def test_look_up_of_pieces_is_the_models_own(
    model: bytes, tokenizer: SentencePieceTokenizer
) -> None:
    lines = [*LINES[:3], "unseen: \u6f22 </s> <unk>", ""]
    pieces = tokenizer.tokenize(tf.constant(lines))
    table = sentencepiece_vocabulary(model).lookup_table()
    ids = tf.ragged.map_flat_values(table.lookup, pieces).to_list()
    processor = sentencepiece.SentencePieceProcessor(model_proto=model)
    assert ids == processor.encode(lines)
    assert UNK_ID in ids[3]


def test_text_comes_back_without_its_extra_white_space(
    tokenizer: SentencePieceTokenizer,
) -> None:
    lines = ["  The dog\u00a0 runs. ", "", " \u00a0\t", "A park, don't they?"]
    back = tokenizer.detokenize(tokenizer.tokenize(tf.constant(lines)))
    assert back.numpy().tolist() == [b"The dog runs.", b"", b"", b"A park, don't they?"]


def test_equal_text_gives_equal_models(model: bytes) -> None:
    assert train_sentencepiece(iter(LINES), size=60) == model


def test_a_small_text_gives_fewer_pieces() -> None:
    vocabulary = sentencepiece_vocabulary(train_sentencepiece(["a b", "a b"], 8000))
    assert 4 < vocabulary.size < 20


def test_frequent_words_of_tokenised_text_are_whole_pieces() -> None:
    frequent = ["avec", "dans", "leur", "homme", "femme", "chien", "rouge", "deux"]
    random = np.random.default_rng(3)
    syllables = [a + b for a in "bcdfglmnprstv" for b in ("a", "e", "i", "on", "eur")]
    lines = [
        " ".join(
            [*random.choice(frequent, 6), *("".join(random.choice(syllables, 3)),), "."]
        )
        for _ in range(400)
    ]
    tokenizer = SentencePieceTokenizer(train_sentencepiece(lines, size=200))
    pieces = tokenizer.tokenize(tf.constant([" ".join(frequent), "bacedi"])).to_list()
    assert pieces[0] == [f"\u2581{word}".encode() for word in frequent]
    assert len(pieces[1]) > 1


@pytest.mark.parametrize(
    ("lines", "size", "reason"),
    [
        ([], 60, "the text is empty"),
        (["", " "], 60, "the text is empty"),
        (LINES, 8, "Vocabulary size is smaller than required_chars"),
    ],
)
def test_text_that_teaches_nothing_is_refused(
    lines: list[str], size: int, reason: str
) -> None:
    message = f"no sentencepiece model of {size} rows can be learned: {reason}"
    with pytest.raises(UserError, match=message):
        train_sentencepiece(lines, size)


def foreign_model(**options: object) -> bytes:
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(LINES),
        model_writer=model,
        vocab_size=60,
        hard_vocab_limit=False,
        minloglevel=2,
        **options,
    )
    return model.getvalue()


def test_other_special_ids_are_refused() -> None:
    with pytest.raises(UserError, match="mine: the first pieces are <unk> <s> </s>"):
        sentencepiece_vocabulary(foreign_model(), "mine")


def test_pieces_with_white_space_are_refused() -> None:
    ids = {"pad_id": 0, "unk_id": 1, "bos_id": 2, "eos_id": 3}
    model = foreign_model(**ids, user_defined_symbols=["a b"])
    with pytest.raises(UserError, match="mine:5: white space in 'a b'"):
        sentencepiece_vocabulary(model, "mine")


def test_a_file_that_is_no_model_is_refused() -> None:
    with pytest.raises(UserError, match="mine: not a sentencepiece model"):
        sentencepiece_vocabulary(b"no model", "mine")
