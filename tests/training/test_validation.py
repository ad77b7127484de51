"""Perplexity and score on validation text."""

import pathlib

import numpy as np
import pytest

from nmt.decoding.translation_options import TranslationOptions
from nmt.decoding.translator import Translator
from nmt.evaluation import Score, corpus_bleu
from nmt.models import build_model
from nmt.models.run_folder import LoadedModel, RunFolder
from nmt.training.checkpoints import Counters
from nmt.training.prepare import PreparedData, prepare
from nmt.training.validation import Evaluation, Validator
from tests.training import toy


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> RunFolder:
    toy.write_text(tmp_path)
    return RunFolder(tmp_path / "run")


@pytest.fixture
def data(folder: RunFolder) -> PreparedData:
    return prepare(toy.settings(folder.path.parent), folder)


@pytest.fixture
def loaded(data: PreparedData) -> LoadedModel:
    model = build_model(data.config.model, *data.vocabulary_sizes)
    return LoadedModel(model, data.source_codec, data.target_codec, data.config)


def test_perplexity_is_that_of_every_pair_alone(
    loaded: LoadedModel, data: PreparedData, folder: RunFolder
) -> None:
    evaluation = Validator(loaded, data, folder).measure(Counters(54, ""))
    nats = tokens = 0.0
    corpus = data.validation.corpus
    for row in data.validation.rows:
        source, target = (
            [*side.read(np.array([row])).ids, 3]
            for side in (corpus.source, corpus.target)
        )
        sums = loaded.model.losses(np.array([[*source[-2::-1], 3]]), np.array([target]))
        nats, tokens = nats + float(sums.nats), tokens + float(sums.tokens)
    assert evaluation.nats_per_token == pytest.approx(nats / tokens, rel=1e-5)
    assert evaluation.nats_per_sentence == pytest.approx(nats / 6, rel=1e-5)
    assert evaluation.perplexity == pytest.approx(np.exp(nats / tokens), rel=1e-5)


def test_score_is_that_of_the_decoded_text(
    loaded: LoadedModel, data: PreparedData, folder: RunFolder
) -> None:
    evaluation = Validator(loaded, data, folder).measure(Counters(54, ""))
    made = Translator(loaded).translate(
        data.validation.source, TranslationOptions(beam_size=1)
    )
    references = [(line,) for line in data.validation.target]
    expected = corpus_bleu(
        [each.text for each in made], references, data.config.evaluation
    )
    assert evaluation.score == expected


def test_only_better_weights_are_kept(
    loaded: LoadedModel, data: PreparedData, folder: RunFolder
) -> None:
    validator, counters = Validator(loaded, data, folder), Counters(54, "", update=1)
    best = validator.measure(counters)
    assert counters.best_perplexity == best.perplexity
    kept = loaded.model.decoder.projection.bias.numpy()
    loaded.model.decoder.projection.bias.assign(kept + np.arange(12) * 5)
    counters.update = 2
    assert validator.measure(counters).perplexity > best.perplexity
    assert (counters.best_update, counters.evaluations_without_gain) == (1, 1)
    folder.config_file.write_text(data.config.to_json())
    restored = folder.load_model("best").model
    np.testing.assert_array_equal(restored.decoder.projection.bias, kept)


def test_hopeless_perplexity_is_still_a_number() -> None:
    evaluation = Evaluation(1e4, 1e5, Score("bleu", 0.0, ""))
    assert np.isfinite(evaluation.perplexity)
