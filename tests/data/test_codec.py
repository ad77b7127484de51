"""Text to ids and back, saved, loaded and exported."""

import pathlib

import pytest
import tensorflow as tf

from nmt.data.codec import TextCodec, core_tokenizer
from nmt.data.sentencepiece import (
    SentencePieceTokenizer,
    sentencepiece_vocabulary,
    train_sentencepiece,
)
from nmt.data.tokenizers import CharacterTokenizer, WordTokenizer
from nmt.data.vocabulary import SPECIAL_TOKENS, UNK_ID, Vocabulary
from nmt.errors import UserError

LINES = ["the dog", "a dog runs in the park", "the park"] * 10


def words() -> TextCodec:
    return TextCodec(WordTokenizer(), Vocabulary((*SPECIAL_TOKENS, "dog", "the")))


def characters() -> TextCodec:
    vocabulary = Vocabulary((*SPECIAL_TOKENS, *"\u2581dogthe"))
    return TextCodec(CharacterTokenizer(), vocabulary)


def pieces() -> TextCodec:
    model = train_sentencepiece(LINES, size=40)
    return TextCodec(SentencePieceTokenizer(model), sentencepiece_vocabulary(model))


@pytest.fixture(params=[words, characters, pieces], ids=lambda make: make.__name__)
def codec(request: pytest.FixtureRequest) -> TextCodec:
    return request.param()


def test_ids_have_no_end_and_no_padding() -> None:
    ids = words().encode(tf.constant(["the  dog", "", "dog cat"]))
    assert ids.dtype == tf.int32
    assert ids.to_list() == [[5, 4], [], [4, UNK_ID]]


def test_special_tokens_of_the_text_are_unknown() -> None:
    text = tf.constant([" ".join(SPECIAL_TOKENS)])
    assert words().encode(text).to_list() == [[UNK_ID] * 4]


def test_unknown_tokens_are_told() -> None:
    encoded = words().encode_with_unknowns(tf.constant(["a dog", "", "</s> the a"]))
    assert encoded.ids.to_list() == [[UNK_ID, 4], [], [UNK_ID, 5, UNK_ID]]
    assert encoded.unknown_tokens.numpy().tolist() == [b"a", b"</s>", b"a"]


def test_known_text_comes_back(codec: TextCodec) -> None:
    lines = tf.constant(["the dog", "", "dog the dog"])
    codec.encode(lines)
    tf.random.set_seed(1)  # makes TensorFlow forget the kernels it has
    assert codec.decode(codec.encode(lines)).numpy().tolist() == lines.numpy().tolist()


def test_tokens_are_those_of_the_ids() -> None:
    assert words().tokens([4, UNK_ID, 3]) == ["dog", "<unk>", "</s>"]


def test_a_saved_codec_loads_again(codec: TextCodec, tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    codec.save(folder, "source")
    moved = folder.rename(tmp_path / "moved")
    loaded = TextCodec.load(moved, "source", codec.tokenizer.name)
    assert loaded.digest() == codec.digest()
    assert loaded.vocabulary_size == codec.vocabulary_size
    text = tf.constant(["the dog barks"])
    assert loaded.encode(text).to_list() == codec.encode(text).to_list()


def test_digests_differ_with_tokenizer_and_vocabulary() -> None:
    vocabulary = Vocabulary((*SPECIAL_TOKENS, "a"))
    other = Vocabulary((*SPECIAL_TOKENS, "b"))
    codecs = [
        TextCodec(WordTokenizer(), vocabulary),
        TextCodec(CharacterTokenizer(), vocabulary),
        TextCodec(WordTokenizer(), other),
    ]
    assert len({codec.digest() for codec in codecs}) == 3


def test_missing_and_damaged_files_are_named(tmp_path: pathlib.Path) -> None:
    with pytest.raises(UserError, match=r"target\.vocab: no such file"):
        TextCodec.load(tmp_path, "target", "words")
    words().save(tmp_path, "target")
    with pytest.raises(UserError, match=r"target\.model: no sentencepiece model"):
        TextCodec.load(tmp_path, "target", "sentencepiece")
    (tmp_path / "target.model").write_bytes(b"damaged")
    with pytest.raises(UserError, match=r"target\.model: not a sentencepiece model"):
        TextCodec.load(tmp_path, "target", "sentencepiece")
    pieces().save(tmp_path, "target")
    words().vocabulary.save(tmp_path / "target.vocab")
    with pytest.raises(UserError, match=r"vocab: does not list .* of target\.model"):
        TextCodec.load(tmp_path, "target", "sentencepiece")


def test_an_unknown_tokenizer_is_named_with_the_choices() -> None:
    with pytest.raises(UserError, match="'bpe': choose words, characters or sentence"):
        core_tokenizer("bpe")


class Exported(tf.Module):
    """What a translator does before and after its model."""

    def __init__(self, codec: TextCodec) -> None:
        super().__init__()
        self.codec = codec

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def there_and_back(self, lines: tf.Tensor) -> tf.Tensor:
        return self.codec.decode(self.codec.encode(lines))


def test_an_exported_codec_needs_no_other_file(
    codec: TextCodec, tmp_path: pathlib.Path
) -> None:
    exported = Exported(codec)
    tf.saved_model.save(exported, str(tmp_path / "exported"))
    moved = (tmp_path / "exported").rename(tmp_path / "moved")
    lines = tf.constant(["the dog", "", "the cat"])
    again = tf.saved_model.load(str(moved)).there_and_back(lines)
    assert again.numpy().tolist() == exported.there_and_back(lines).numpy().tolist()


@pytest.mark.parametrize("codec", [words, characters], indirect=True)
def test_words_and_characters_use_core_operations_only(codec: TextCodec) -> None:
    exported = Exported(codec)
    graph = exported.there_and_back.get_concrete_function().graph
    operations = {operation.type for operation in graph.get_operations()}
    core = set(dir(tf.raw_ops))
    assert operations - core == set()
    assert "PyFunc" not in operations
