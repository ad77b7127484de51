"""Graphs of an ensemble's search: penalties, special tokens, and who is asked what."""

import dataclasses

import numpy as np
import pytest
import tensorflow as tf

from nmt.data.vocabulary import BOS_ID, EOS_ID, PAD_ID
from nmt.decoding.ensemble import Ensemble
from nmt.decoding.hypotheses import Hypotheses
from nmt.decoding.search_options import SearchOptions
from nmt.decoding.searcher import Searcher, Ways
from nmt.errors import UserError
from nmt.models.run_folder import LoadedModel
from tests import tiny_models
from tests.decoding.looking_copier import looking_copier
from tests.tolerance import assert_close

SOURCE = np.array([[5, 9, 21, 6, 3], [13, 3, 0, 0, 0], [7, 7, 12, 3, 0]], np.int32)
LIMITS = [6, 3, 5]
ATTENDING = {"attention": "bahdanau", "attention_size": 8, "num_layers": 1}


def member(seed: int, reverse_source: bool) -> LoadedModel:
    loaded = tiny_models.random_model(seed, scale=0.9, **ATTENDING)
    data = dataclasses.replace(loaded.config.data, reverse_source=reverse_source)
    config = dataclasses.replace(loaded.config, data=data)
    return dataclasses.replace(loaded, config=config)


@pytest.fixture(scope="module")
def members() -> list[LoadedModel]:
    return [member(3, reverse_source=True), member(4, reverse_source=False)]


@pytest.fixture(scope="module")
def both(members: list[LoadedModel]) -> Searcher:
    return Searcher(Ensemble(members))


def find(
    searcher: Searcher, ways: Ways, prefix: np.ndarray | None = None
) -> Hypotheses:
    return searcher.search(
        tf.constant(SOURCE),
        tf.constant(LIMITS),
        keys=tf.range(3),
        prefix=None if prefix is None else tf.constant(prefix, tf.int32),
        ways=ways,
    )


def test_special_tokens_are_never_written(both: Searcher) -> None:
    found = find(both, Ways(8, 8, SearchOptions(forbidden_ids=(4, 5))))
    positions = np.arange(found.ids.shape[2])
    inside = positions < found.lengths.numpy()[:, :, np.newaxis]
    written = set(found.ids.numpy()[inside].tolist())
    assert written.isdisjoint({PAD_ID, BOS_ID, 4, 5})
    assert len(written) > 5


def test_prefixes_come_first(both: Searcher) -> None:
    prefix = np.array([[9, 4], [7, 0], [0, 0]])
    found = find(both, Ways(2, 2, SearchOptions()), prefix).ids.numpy()
    assert found[0, :, :2].tolist() == [[9, 4], [9, 4]]
    assert found[1, :, 0].tolist() == [7, 7]


def test_coverage_is_the_mean_of_that_of_the_models(
    both: Searcher, members: list[LoadedModel]
) -> None:
    options = SearchOptions(coverage_penalty=0.7, length_penalty=0.5)
    found = find(both, Ways(4, 4, options))
    penalties = []
    for each in members:
        alone = Searcher(Ensemble([each]))
        for slot in range(4):
            target = found.ids[:, slot]
            alignments = alone.alignments(tf.constant(SOURCE), target).numpy()
            looked = np.minimum(alignments.sum(axis=1), 1)
            penalties.append(
                (np.log(looked, where=SOURCE > EOS_ID, out=0 * looked)).sum(1)
            )
    expected = np.reshape(penalties, [2, 4, 3]).mean(axis=0).T
    assert_close(found.coverage, expected, "float32")
    scores = found.scores(options).numpy()
    lengths = found.lengths.numpy()
    log_probs = found.log_probs.numpy()
    assert_close(
        scores, log_probs / ((5 + lengths) / 6) ** 0.5 + 0.7 * expected, "float32"
    )


def test_coverage_needs_attention() -> None:
    searcher = Searcher(Ensemble([tiny_models.copy_model()]))
    assert not searcher.attends
    with pytest.raises(
        UserError, match="coverage_penalty needs a model with attention"
    ):
        find(searcher, Ways(2, 1, SearchOptions(coverage_penalty=0.1)))


@pytest.mark.parametrize("reverse_source", [False, True])
def test_alignments_are_in_the_order_of_the_text(reverse_source: bool) -> None:
    searcher = Searcher(Ensemble([looking_copier(reverse_source)]))
    assert searcher.attends
    alignments = searcher.alignments(tf.constant(SOURCE), tf.constant(SOURCE))
    for row, length in zip(alignments.numpy(), [5, 2, 4], strict=True):
        np.testing.assert_array_equal(row[:length, :length], np.eye(length))
        assert not row[length:].any()


def test_what_one_model_sees_is_the_ensembles(members: list[LoadedModel]) -> None:
    mixed = Searcher(Ensemble([members[0], tiny_models.random_model(5, num_layers=1)]))
    assert mixed.attends
    source, target = tf.constant(SOURCE), tf.constant([[5, 6], [7, 8], [9, 4]])
    alone = Searcher(Ensemble(members[:1])).alignments(source, target)
    assert_close(mixed.alignments(source, target), alone, "float32")


def test_a_graph_is_made_once_for_each_way() -> None:
    loaded = tiny_models.copy_model()
    searcher = Searcher(Ensemble([loaded]))
    for ways in (Ways(1, 1, SearchOptions()), Ways(2, 1, SearchOptions())) * 2:
        find(searcher, ways)
    find(searcher, Ways(1, 1, SearchOptions()), np.zeros([3, 2]))
    assert loaded.model.traces == 3
