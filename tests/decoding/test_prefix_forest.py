"""Trees side by side keep their edges, rows and parents."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from nmt.data.vocabulary import EOS_ID
from nmt.decoding.prefix_forest import PrefixForest
from nmt.decoding.prefix_tree import PrefixTree

# Few words, so that much is shared.
lists = st.lists(st.lists(st.integers(4, 6), max_size=5), min_size=1, max_size=8)


@given(st.lists(lists, min_size=1, max_size=4))
@settings(derandomize=True, deadline=None)
def test_every_tree_is_found_again(found: list[list[list[int]]]) -> None:
    trees = [PrefixTree.of(each) for each in found]
    forest = PrefixForest.of(trees)
    again = forest.split(trees, forest.words)
    for tree, words in zip(trees, again, strict=True):
        assert words.tolist() == tree.words.tolist()


@given(st.lists(lists, min_size=1, max_size=4))
@settings(derandomize=True, deadline=None)
def test_paths_stay_within_their_sentence(found: list[list[list[int]]]) -> None:
    trees = [PrefixTree.of(each) for each in found]
    forest = PrefixForest.of(trees)
    # Every row and edge as the sentence and the words that lead to it.
    rows: list[tuple[int, ...]] = [(place,) for place in range(len(trees))]
    ended = []
    for depth in range(len(forest.edge_splits) - 1):
        edges = slice(*forest.edge_splits[depth : depth + 2])
        for word, parent in zip(
            forest.words[edges], forest.parents[edges], strict=True
        ):
            if word == EOS_ID:
                ended.append(rows[parent])
        below = slice(*forest.row_splits[depth : depth + 2])
        rows = [
            (*rows[parent], int(word))
            for word, parent in zip(
                forest.row_words[below], forest.row_parents[below], strict=True
            )
        ]
        # As many rows for each sentence, one sentence after the other.
        assert len(rows) % len(trees) == 0
        width = len(rows) // len(trees)
        assert [row[0] for row in rows] == np.repeat(
            np.arange(len(trees)), width
        ).tolist()
    expected = {(place, *each) for place, ys in enumerate(found) for each in ys}
    assert sorted(ended) == sorted(expected)
