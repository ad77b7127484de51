"""What only the graph of the search has: distinct texts, and a dictionary."""

import tensorflow as tf

from nmt.data.vocabulary import UNK_ID
from nmt.decoding import Ensemble, TranslationOptions, Translator
from nmt.export.lines import read_lines
from nmt.export.search import ServedSearch, _distinct
from tests import tiny_models


def test_the_first_of_equal_texts_is_kept() -> None:
    texts = tf.constant([["a", "b", "a", "c"], ["d", "d", "d", "e"]])
    is_one = tf.constant([[True] * 4, [True, True, True, False]])
    assert _distinct(texts, is_one, 3).numpy().tolist() == [[0, 1, 3], [0, -1, -1]]
    assert _distinct(texts, is_one, 1).numpy().tolist() == [[0], [0]]


def test_unknown_words_are_looked_up_as_the_translator_does() -> None:
    settings = {"cell": "gru", "attention": "bahdanau", "attention_size": 8}
    loaded = tiny_models.random_model(5, **settings)
    bias = loaded.model.decoder.projection.bias
    bias.assign(bias + 3.0 * tf.one_hot(UNK_ID, bias.shape[0]))
    options = TranslationOptions(
        beam_size=2, n_best=2, dictionary={"w4": "four", "w5": "five"}
    ).resolved(loaded.config)
    lines = ["w1 never w3", "w1", "w4 w5"]
    ensemble = Ensemble([loaded])
    read = read_lines(loaded.source_codec, tf.constant(lines))
    found = ServedSearch(ensemble, options).run(read, 2).texts.numpy()
    words: set[str] = set()
    for made, texts in zip(
        Translator(ensemble).translate(lines, options),
        found,
        strict=True,
    ):
        expected = [each.text for each in made.n_best]
        assert [each.decode() for each in texts[: len(expected)]] == expected
        words.update(*(each.split() for each in expected))
    assert words & {"four", "five"}
    assert "<unk>" not in words
