import pathlib

import numpy as np
import pytest

from nmt.decoding import Ensemble, ListScores
from tests import tiny_models
from tests.rescoring.lists import SOURCES, write_files
from tools.benchmark_rescoring import (
    about,
    chosen_lists,
    compare,
    plain_scorer,
    tree_scorer,
)


def test_both_ways_give_the_same_scores(tmp_path: pathlib.Path) -> None:
    write_files(tmp_path)
    lists = chosen_lists(str(tmp_path / "n_best"), 99)
    assert [each.id for each in lists] == [0, 2, 3]
    ensemble = Ensemble([tiny_models.random_model()])
    pairs = [(SOURCES[each.id], words) for each in lists for words in each.hypotheses]
    ours = tree_scorer(ensemble, [SOURCES[each.id] for each in lists], lists)
    plain = plain_scorer(ensemble, pairs, batch_size=4)
    assert len(compare(ours, plain, repeats=2)) == 2
    assert np.ptp(ours()) > 1
    with pytest.raises(SystemExit, match="differ by up to"):
        compare(ours, lambda: plain() + 1e-3, repeats=1)


def test_lists_are_spread_over_the_file(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "lists"
    path.write_text("".join(f"{i} ||| a ||| LM= 1 ||| 1\n" for i in range(10)))
    assert [each.id for each in chosen_lists(str(path), 4)] == [0, 3, 6, 9]


def test_what_is_saved() -> None:
    scores = [ListScores(np.zeros([n, 1]), np.zeros(n), 3 * n, 4 * n) for n in (1, 4)]
    assert about(scores) == (
        "2 lists, 5 hypotheses, 20 words; equal beginnings save 25.0% of the decoder's "
        "steps"
    )
