"""Prefix trees of several sentences, for steps that are made together."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from nmt.data.vocabulary import EOS_ID
from nmt.decoding.prefix_tree import PrefixTree


class PrefixForest(NamedTuple):
    """Trees side by side, a sentence each.

    At each depth all trees have as many rows as the widest of them, since a batch of
    sentences has the same number of hypotheses for each. What is missing is filled up
    with rows that nothing follows from: their words are ends of sentence.

    Attributes:
        words: int32, `[edges]`: as in `PrefixTree`; within a depth those of the first
            tree come first.
        parents: int32, `[edges]`: the row, counted within its depth over all trees,
            that each edge follows.
        edge_splits: int32, `[depths + 1]`: the edges of depth d are those from
            `edge_splits[d]` to before `edge_splits[d + 1]`.
        row_words: int32, `[rows]`: the last word of each row, from depth 1 on.
        row_parents: int32, `[rows]`: the row of the depth before that it continues.
        row_splits: int32, `[depths + 1]`: the rows of depth d + 1 are those from
            `row_splits[d]` to before `row_splits[d + 1]`; depth 0 has one a tree.

    Example:
        Of [7 8] and [7 9] for one sentence, and [6] for another:

        >>> trees = [PrefixTree.of([[7, 8], [7, 9]]), PrefixTree.of([[6]])]
        >>> forest = PrefixForest.of(trees)
        >>> rows = np.split(forest.row_words, forest.row_splits[1:-1])
        >>> [words.tolist() for words in rows]
        [[7, 6], [8, 9, 3, 3], []]
    """

    words: np.ndarray
    parents: np.ndarray
    edge_splits: np.ndarray
    row_words: np.ndarray
    row_parents: np.ndarray
    row_splits: np.ndarray

    @classmethod
    def of(cls, trees: Sequence[PrefixTree]) -> "PrefixForest":
        """Sets trees side by side.

        Args:
            trees: At least one.
        """
        depths = max(len(tree.row_counts) for tree in trees) - 1
        counts = np.zeros([len(trees), depths + 1], np.int64)
        for count, tree in zip(counts, trees, strict=True):
            count[: len(tree.row_counts)] = tree.row_counts
        widths = counts.max(axis=0)
        words, parents, rows, row_parents = [], [], [], []
        edge_splits, row_splits = [0], [0]
        for depth in range(depths):
            shape = len(trees), widths[depth + 1]
            # Any row of the own sentence may have them.
            firsts = np.arange(len(trees)) * widths[depth]
            depth_rows = np.full(shape, EOS_ID)
            depth_parents = np.repeat(firsts[:, np.newaxis], shape[1], axis=1)
            for place, tree in enumerate(trees):
                if depth >= len(tree.row_counts) - 1:
                    continue
                edges = slice(*tree.edge_splits[depth : depth + 2])
                words.append(tree.words[edges])
                parents.append(firsts[place] + tree.parents[edges])
                count = counts[place, depth + 1]
                depth_rows[place, :count] = words[-1][:count]
                depth_parents[place, :count] = parents[-1][:count]
            rows.append(depth_rows.reshape(-1))
            row_parents.append(depth_parents.reshape(-1))
            edge_splits.append(sum(map(len, words)))
            row_splits.append(row_splits[-1] + depth_rows.size)
        joined = [
            np.concatenate(each).astype(np.int32)
            for each in (words, parents, rows, row_parents)
        ]
        return cls(
            joined[0],
            joined[1],
            np.array(edge_splits, np.int32),
            joined[2],
            joined[3],
            np.array(row_splits, np.int32),
        )

    def split(
        self, trees: Sequence[PrefixTree], values: np.ndarray
    ) -> list[np.ndarray]:
        """Returns what belongs to the edges of each tree, in the tree's order.

        Args:
            trees: Those of which the forest was made.
            values: `[edges, ...]`.
        """
        sizes = [np.diff(tree.edge_splits) for tree in trees]
        parts: list[list[np.ndarray]] = [[] for _ in trees]
        end = 0
        for depth in range(len(self.edge_splits) - 1):
            for own, counts in zip(parts, sizes, strict=True):
                if depth < len(counts):
                    begin, end = end, end + counts[depth]
                    own.append(values[begin:end])
        return [np.concatenate(own) for own in parts]
