"""Prefixes are shared, and every hypothesis keeps its path."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from nmt.data.vocabulary import EOS_ID
from nmt.decoding.prefix_tree import PrefixTree

# Few words, so that much is shared.
lists = st.lists(st.lists(st.integers(4, 6), max_size=5), min_size=1, max_size=12)


@given(lists)
@settings(derandomize=True, deadline=None)
def test_paths_and_counts_are_those_of_plain_python(
    hypotheses: list[list[int]],
) -> None:
    tree = PrefixTree.of(hypotheses)
    prefixes = {tuple(each[:i]) for each in hypotheses for i in range(len(each) + 1)}
    ended = {tuple(each) for each in hypotheses}
    assert tree.steps == len(prefixes)
    # Every prefix but the root has an edge to it, and every hypothesis its end.
    assert len(tree.words) == len(tree.parents) == len(prefixes) - 1 + len(ended)
    longest = max(map(len, hypotheses))
    expected = [sum(len(p) == d for p in prefixes) for d in range(longest + 2)]
    assert tree.row_counts.tolist() == expected
    assert tree.widest == max(expected)
    for hypothesis, leaf in zip(hypotheses, tree.leaves, strict=True):
        assert path(tree, leaf) == [*hypothesis, EOS_ID]


def path(tree: PrefixTree, leaf: int) -> list[int]:
    """Returns the words from the root to an edge, by the promise of the class."""
    depth = int(np.searchsorted(tree.edge_splits, leaf, side="right")) - 1
    words = []
    row = leaf - tree.edge_splits[depth]
    for d in range(depth, -1, -1):
        edge = tree.edge_splits[d] + row
        words.append(int(tree.words[edge]))
        row = tree.parents[edge]
        assert row < tree.row_counts[d]
    assert row == 0
    return words[::-1]


@given(lists)
@settings(derandomize=True, deadline=None)
def test_sums_go_along_the_paths(hypotheses: list[list[int]]) -> None:
    tree = PrefixTree.of(hypotheses)
    # Two columns: the words themselves, and one for every edge.
    values = np.stack([tree.words, np.ones_like(tree.words)], axis=1)
    expected = [[sum(each) + EOS_ID, len(each) + 1] for each in hypotheses]
    assert tree.sums(values.astype(np.float32)).tolist() == expected


def test_equal_hypotheses_are_one_path() -> None:
    tree = PrefixTree.of([[7, 8], [9], [7, 8], []])
    assert tree.leaves[0] == tree.leaves[2]
    assert len(set(tree.leaves)) == 3
    assert tree.steps == 4
