"""What docs/decoding.md promises of a translation, whatever stands beside its line."""

import dataclasses
import functools
import json
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from nmt.data.pipeline import source_batch
from nmt.data.vocabulary import BOS_ID, EOS_ID
from nmt.decoding.ensemble import Ensemble
from nmt.decoding.formats import json_line
from nmt.decoding.search_options import SearchOptions
from nmt.decoding.translation import Translation
from nmt.decoding.translation_options import TranslationOptions
from nmt.decoding.translator import Translator
from nmt.models.run_folder import LoadedModel
from tests import tiny_models
from tests.decoding.looking_copier import looking_copier

TOLERANCE = 1e-4


def model(seed: int, reverse_source: bool, **settings: Any) -> LoadedModel:
    loaded = tiny_models.random_model(seed, scale=0.9, num_layers=1, **settings)
    data = dataclasses.replace(loaded.config.data, reverse_source=reverse_source)
    config = dataclasses.replace(loaded.config, data=data)
    return dataclasses.replace(loaded, config=config)


@functools.cache
def attending() -> Ensemble:
    settings = {"attention": "bahdanau", "attention_size": 8}
    return Ensemble([model(7, reverse_source=True, **settings)])


@functools.cache
def two() -> Ensemble:
    """Models of two architectures that read in two directions."""
    other = model(11, reverse_source=False, cell="gru")
    return Ensemble([*attending().members, other], weights=[2.0, 1.0])


@functools.cache
def unending() -> Ensemble:
    """A model that hardly ever ends a sentence, as before it is trained."""
    loaded = model(4, reverse_source=True)
    bias = loaded.model.decoder.projection.bias
    bias.assign(bias - 50 * tf.one_hot(EOS_ID, bias.shape[0]))
    return Ensemble([loaded])


@functools.cache
def translator_of(make: Callable[[], Ensemble]) -> Translator:
    """One for all tests: graphs are made once."""
    return Translator(make())


def random_lines(count: int, longest: int) -> list[str]:
    draw = random.Random(count)
    return [
        " ".join(draw.choices([*tiny_models.WORDS, "Ann"], k=draw.randint(1, longest)))
        for _ in range(count)
    ]


def beam(
    beam_size: int, n_best: int | None = None, **search: Any
) -> TranslationOptions:
    n_best = beam_size if n_best is None else n_best
    return TranslationOptions(beam_size, n_best, search=SearchOptions(**search))


WAYS = {
    "lists of 12": (attending, beam(12)),
    "two models": (two, beam(4)),
    "kept, penalties": (
        attending,
        beam(4, 2, keep_finished=True, length_penalty=0.6, coverage_penalty=0.2),
    ),
    "never ends": (unending, beam(3)),
    "samples": (attending, beam(5, sample=True, seed=7)),
}


def assert_same(found: list[Translation], expected: list[Translation]) -> None:
    for one, other in zip(found, expected, strict=True):
        for part in ("text", "tokens", "finished"):
            assert [getattr(each, part) for each in one.n_best] == [
                getattr(each, part) for each in other.n_best
            ]
        for part in ("log_prob", "score"):
            np.testing.assert_allclose(
                [getattr(each, part) for each in one.n_best],
                [getattr(each, part) for each in other.n_best],
                atol=TOLERANCE,
            )


@pytest.mark.parametrize("way", WAYS)
def test_batch_size_neighbours_and_order_change_nothing(way: str) -> None:
    make, options = WAYS[way]
    translator = translator_of(make)
    lines = [*random_lines(14, longest=6), "", *random_lines(1, 1) * 2, "w1 " * 60]

    def translate(some: list[str], batch_size: int) -> list[Translation]:
        sized = dataclasses.replace(options, batch_size=batch_size)
        return list(translator.translate(some, sized))

    alone = translate(lines, 1)
    found = [each for translation in alone for each in translation.n_best]
    assert sum(len(each.tokens) for each in found) > 40
    assert any(each.finished for each in found if each.tokens) or way == "never ends"
    assert_same(translate(lines, 64), alone)
    order = random.Random(1).sample(range(len(lines)), len(lines))
    shuffled = translate([lines[place] for place in order], 7)
    assert_same(shuffled, [alone[place] for place in order])
    some = translate(lines[5:9], 64)
    assert_same(some, alone[5:9])


def test_length_limit_is_that_of_the_line_alone() -> None:
    lines = [*random_lines(9, 6), "w1 " * 60]
    options = dataclasses.replace(beam(1), batch_size=64)
    for translation in translator_of(unending).translate(lines, options):
        # The settings: as many tokens as the source has, and 3 more.
        assert len(translation.tokens) == len(translation.source) + 3
        assert not translation.finished


@pytest.mark.parametrize("way", WAYS)
def test_lists_are_sorted_and_distinct_and_finite(way: str) -> None:
    make, options = WAYS[way]
    lines = random_lines(12, longest=5)
    for translation in translator_of(make).translate(lines, options):
        found = translation.n_best
        assert 1 <= len(found) <= options.n_best
        assert np.isfinite([(each.log_prob, each.score) for each in found]).all()
        order = [(not each.finished, -each.score) for each in found]
        assert order == sorted(order)
        assert len({each.text for each in found}) == len(found)


def test_list_is_shorter_where_there_are_no_more() -> None:
    loaded = tiny_models.with_decoding(
        attending().members[0], max_length_factor=0.0, max_length_offset=1
    )
    # Left are the end, the unknown word and one other.
    options = beam(12, forbidden_ids=tuple(range(5, 24)))
    (translation,) = Translator(loaded).translate(["w1 w2"], options)
    assert sorted(each.text for each in translation.n_best) == ["", "<unk>", "w0"]
    assert [each.finished for each in translation.n_best] == [True, False, False]


SCORED = WAYS | {
    "groups, mean": (
        attending,
        beam(6, groups=3, no_repeat_ngram_size=1, normalization="mean"),
    ),
}


def score(printed: dict[str, Any], search: SearchOptions) -> float:
    """The score from what stands beside it in the output."""
    length = len(printed["tokens"]) + printed["finished"]
    if search.normalization == "mean":
        divisor = length
    else:
        divisor = ((5 + length) / 6) ** (search.length_penalty or 0)
    result = printed["log_prob"] / divisor
    if search.coverage_penalty:
        looked = np.array(printed["alignment"])[:, :-1].sum(axis=0)
        result += search.coverage_penalty * np.log(np.minimum(looked, 1)).sum()
    return result


def forced_batch(
    ensemble: Ensemble, line: str, hypotheses: list[dict[str, Any]]
) -> tuple[tf.Tensor, tf.Tensor]:
    """The source once a hypothesis, and the ids of what is printed."""
    first = ensemble.members[0]
    encoded = first.source_codec.encode(tf.constant([line]))
    source = source_batch(encoded, reverse=False)
    id_of = first.target_codec.vocabulary.tokens.index
    ids = [
        [
            *map(id_of, each["tokens"]),
            *[EOS_ID] * each["finished"],
        ]
        for each in hypotheses
    ]
    target = tf.ragged.constant(ids, tf.int32).to_tensor(0)
    return tf.repeat(source, len(ids), axis=0), target


@pytest.mark.parametrize("way", SCORED)
def test_printed_scores_are_those_of_forced_decoding(way: str) -> None:
    make, options = SCORED[way]
    ensemble = make()
    options = dataclasses.replace(options, alignments=make is not unending)
    lines = random_lines(6, longest=6)
    for line, translation in zip(
        lines, translator_of(make).translate(lines, options), strict=True
    ):
        printed = json.loads(json_line(0, translation))["n_best"]
        forced = ensemble.forced_decoding(*forced_batch(ensemble, line, printed))
        expected = tf.reduce_sum(forced.log_probs, axis=1).numpy()
        log_probs = [each["log_prob"] for each in printed]
        np.testing.assert_allclose(log_probs, expected, atol=TOLERANCE)
        scores = [each["hypothesis_score"] for each in printed]
        again = [score(each, options.search) for each in printed]
        np.testing.assert_allclose(scores, again, atol=TOLERANCE)


def looked_at(source: tf.Tensor, target: tf.Tensor) -> np.ndarray:
    """Where the attending model looks, word after word, in the order of the text."""
    (member,) = attending().members
    state, memory = attending().encode(source)
    previous = tf.fill([len(target)], BOS_ID)
    rows = []
    for position in range(target.shape[1]):
        _, state = attending().step(previous, state, memory)
        rows.append(state[0].attention.alignments.numpy())
        previous = target[:, position]
    found = np.stack(rows, axis=1)
    assert member.config.data.reverse_source
    return np.concatenate([found[:, :, -2::-1], found[:, :, -1:]], axis=2)


def test_alignments_belong_to_the_printed_hypotheses() -> None:
    lines = random_lines(5, longest=6)
    options = dataclasses.replace(beam(12), alignments=True)
    translator = translator_of(attending)
    for line, translation in zip(
        lines, translator.translate(lines, options), strict=True
    ):
        printed = json.loads(json_line(0, translation))["n_best"]
        expected = looked_at(*forced_batch(attending(), line, printed))
        for each, rows in zip(printed, expected, strict=True):
            length = len(each["tokens"]) + each["finished"]
            assert np.shape(each["alignment"]) == (length, len(line.split()) + 1)
            np.testing.assert_allclose(each["alignment"], rows[:length], atol=TOLERANCE)
            np.testing.assert_allclose(np.sum(each["alignment"], axis=1), 1, atol=1e-5)
        # Hypotheses look at different places: to mix them up would show.
        assert len({str(each["alignment"][-1:]) for each in printed}) > 1


@pytest.mark.parametrize("directions", [[False], [True], [True, False]])
def test_alignments_are_in_the_order_of_the_text(directions: list[bool]) -> None:
    ensemble = Ensemble([looking_copier(each) for each in directions])
    options = dataclasses.replace(beam(3), alignments=True)
    lines = ["w1 w2 w3 w4", "", "w5", "Ann w6 Ann"]
    for line, translation in zip(
        lines, Translator(ensemble).translate(lines, options), strict=True
    ):
        assert translation.source == tuple(line.split())
        if line:
            diagonal = np.eye(len(line.split()) + 1)
            np.testing.assert_array_equal(translation.n_best[0].alignment, diagonal)


@pytest.mark.parametrize("reverse_source", [False, True])
def test_unknown_words_are_copied_from_where_they_looked(reverse_source: bool) -> None:
    translator = Translator(looking_copier(reverse_source))
    lines = ["Ann saw w1 , Bob", "", "w2 w3", "\U0001f600"]
    options = dataclasses.replace(beam(2, 1), dictionary={})
    copied = list(translator.translate(lines, options))
    assert [each.text for each in copied] == lines
    assert copied[0].tokens == ("<unk>", "<unk>", "w1", "<unk>", "<unk>")
    told = dataclasses.replace(options, dictionary={"Bob": "B. B.", "w2": "never"})
    assert [each.text for each in translator.translate(lines, told)] == [
        "Ann saw w1 , B. B.",
        *lines[1:],
    ]


def test_equal_sentences_draw_equal_samples() -> None:
    translator = translator_of(attending)
    lines = ["w1 w2 w3", "w4 w5", "w1 w2 w3"]

    def texts(lines: list[str], seed: int) -> list[list[str]]:
        options = beam(5, sample=True, seed=seed)
        return [
            [each.text for each in translation.n_best]
            for translation in translator.translate(lines, options)
        ]

    first, other, again = texts(lines, seed=7)
    assert first == again
    assert first != other
    assert texts(lines[::-1], seed=7) == [again, other, first]
    assert texts(lines, seed=8)[0] != first
