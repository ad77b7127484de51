"""Trained models in Python: the numbers of the parts that the binaries use."""

import pathlib

import numpy as np
import pytest
import tensorflow as tf

import nmt
from nmt.data.pipeline import source_batch, target_batch
from nmt.decoding import Ensemble, TranslationOptions, Translator
from nmt.decoding.pretrained import PretrainedTranslator
from nmt.errors import UserError
from nmt.models.run_folder import LoadedModel
from tests.tiny_models import WORDS, random_model, write_run_folder

LINES = ["w1 w2 w3", "", "w4 unknown", "w5 w6 w7 w8 w9"]
TARGETS = ["w1 w2", "", "w3 strange w4", "w19"]


@pytest.fixture(scope="module")
def loaded() -> LoadedModel:
    return random_model()


def test_translations_are_those_of_the_translator(loaded: LoadedModel) -> None:
    translator = PretrainedTranslator(Ensemble([loaded]))
    found = translator.translate(LINES, beam_size=3, n_best=2)
    options = TranslationOptions(beam_size=3, n_best=2)
    assert found == list(Translator(loaded).translate(LINES, options))
    assert [len(each.n_best) for each in found] == [2, 1, 2, 2]
    assert translator.translate(LINES, options=options) == found
    assert translator.translate([]) == []


def test_scores_are_those_of_forced_decoding(loaded: LoadedModel) -> None:
    ensemble = Ensemble([loaded, random_model(seed=4)])
    found = PretrainedTranslator(ensemble).score(LINES * 30, TARGETS * 30)
    sources = source_batch(loaded.source_codec.encode(tf.constant(LINES)), False)
    targets = target_batch(loaded.target_codec.encode(tf.constant(TARGETS)))
    expected = ensemble.forced_decoding(sources, targets).log_probs
    expected = tf.reduce_sum(expected, axis=1).numpy()
    # A blank line has the empty translation for certain.
    expected[1] = 0.0
    np.testing.assert_allclose(found, np.tile(expected, 30), rtol=1e-5)


def test_vectors_are_those_of_each_line_alone(loaded: LoadedModel) -> None:
    translator = PretrainedTranslator(Ensemble([loaded]))
    found = translator.encode(LINES)
    assert found.shape == (4, 2 * 2 * 12)
    for line, vector in zip(LINES, found, strict=True):
        np.testing.assert_allclose(translator.encode([line])[0], vector, atol=1e-6)
    assert np.any(found[1])
    assert translator.encode([]).shape == (0, found.shape[1])


def test_vectors_are_the_decoders_first_state(loaded: LoadedModel) -> None:
    lines = ["w1 w2 w3", "w3 w2 w1", "w5", "w4 w4 w9 w2"]
    vectors = PretrainedTranslator(Ensemble([loaded])).encode(lines)
    ids = loaded.source_codec.encode(tf.constant(lines))
    read = source_batch(ids, reverse=loaded.config.data.reverse_source)
    states = tf.nest.flatten(loaded.model.encode(read).state)
    expected = np.concatenate([each.numpy() for each in states], axis=1)
    np.testing.assert_allclose(vectors, expected, atol=1e-6)


def test_load_reads_run_folders(tmp_path: pathlib.Path, loaded: LoadedModel) -> None:
    for name in ("one", "two"):
        write_run_folder(loaded, tmp_path / name)
    translator = nmt.load(tmp_path / "one", tmp_path / "two")
    assert len(translator.models) == 2
    assert translator.model.count_params() == loaded.model.count_params()
    lines = [" ".join(WORDS[:3])]
    expected = next(iter(Translator(loaded).translate(lines)))
    (found,) = translator.translate(lines)
    assert found.text == expected.text
    with pytest.raises(UserError, match="no such run folder"):
        nmt.load(tmp_path / "three")
    with pytest.raises(UserError, match="at least one model"):
        nmt.load()


def test_one_string_and_unequal_lists_are_refused(loaded: LoadedModel) -> None:
    translator = PretrainedTranslator(Ensemble([loaded]))
    with pytest.raises(UserError, match="lines: is one string; give a list"):
        translator.translate("w1 w2")
    with pytest.raises(UserError, match="lines: is one string"):
        translator.encode("w1 w2")
    with pytest.raises(UserError, match="targets: is one string"):
        translator.score(["w1"], "w1")
    with pytest.raises(UserError, match="1 sources, but 2 targets"):
        translator.score(["w1"], ["w1", "w2"])
