import numpy as np
import pytest

from tools.benchmark_attention import Cost, Sizes, make_batch, make_model
from tools.benchmark_decoding import compare, row, search_graph, tensorflow_search

TINY = Sizes(units=4, vocabulary=9, batch=5, time=6)


def test_lengths_are_imposed() -> None:
    source, target = make_batch(TINY)
    search = search_graph(make_model(TINY), beam_size=2)
    lengths = np.sum(target != 0, axis=1).astype(np.int32)
    found = search(source, lengths)
    np.testing.assert_array_equal(found.lengths, np.repeat(lengths[:, None], 2, 1))
    assert not np.any(found.finished)
    cost = tensorflow_search(search, source, target)(5)
    assert cost.result == pytest.approx(float(np.sum(found.log_probs[:, 0])))
    assert cost.wall > 0


def test_searches_that_differ_are_no_comparison() -> None:
    one, other = Cost(-100.0, 1.0, 1.0), Cost(-100.02, 2.0, 2.0)
    with pytest.raises(SystemExit, match="the searches differ"):
        compare(lambda: one, lambda: other, repeats=1)
    near = other._replace(result=-100.005)
    assert compare(lambda: one, lambda: near, repeats=3) == ([one] * 3, [near] * 3)


def test_a_row_has_medians_a_sentence_and_ratios() -> None:
    ours = [Cost(0.0, 0.5, 0.6), Cost(0.0, 0.7, 0.8), Cost(0.0, 0.9, 9.0)]
    theirs = [Cost(0.0, 1.4, 1.2)]
    expected = ["12", "2", "400.0", "600.0", "1.50", "2.00"]
    assert row(12, 2, ours, theirs).split() == expected
