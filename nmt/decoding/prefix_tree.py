"""Hypotheses of one sentence as a tree, in which equal beginnings are one."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from nmt.data.vocabulary import EOS_ID


class PrefixTree(NamedTuple):
    """The distinct prefixes of a list of hypotheses and the words that follow them.

    The row of a prefix y_1 ... y_d is computed once, however many hypotheses begin with
    it, and so is the log probability of every next word: an edge. Each hypothesis is
    the path of its edges from the root to an end of sentence.

    Rows and edges are numbered depth by depth, and at each depth the edges that lead to
    a row of the next come before the ends of sentences: row r of depth d + 1 is what
    edge r of depth d leads to.

    Attributes:
        words: int32, `[edges]`: y_{d+1}, the word of each edge.
        parents: int32, `[edges]`: the row, counted within its depth, that it follows.
        edge_splits: int32, `[depths + 1]`: the edges of depth d are those from
            `edge_splits[d]` to before `edge_splits[d + 1]`.
        row_counts: int32, `[depths + 1]`: prefixes of d words that have a next word: 1
            at the root, where d is 0, and 0 in the end.
        leaves: int64, `[hypotheses]`: the edge that each hypothesis ends with.

    Example:
        Of [7 8], [7 9] and [7], in which 3 is the end of sentence:

        >>> tree = PrefixTree.of([[7, 8], [7, 9], [7]])
        >>> depths = np.split(tree.words, tree.edge_splits[1:-1])
        >>> [words.tolist() for words in depths]
        [[7], [8, 9, 3], [3, 3]]
        >>> tree.row_counts.tolist(), tree.steps
        ([1, 1, 2, 0], 4)
    """

    words: np.ndarray
    parents: np.ndarray
    edge_splits: np.ndarray
    row_counts: np.ndarray
    leaves: np.ndarray

    @classmethod
    def of(cls, hypotheses: Sequence[Sequence[int]]) -> "PrefixTree":
        """Makes the tree of a list.

        Args:
            hypotheses: Ids of the words of each, at least one hypothesis, without ends
                of sentence; equal ones may come several times.
        """
        lengths = np.array([len(each) for each in hypotheses])
        ids = np.full([len(hypotheses), lengths.max() + 1], EOS_ID, np.int64)
        for row, each in zip(ids, hypotheses, strict=True):
            row[: len(each)] = each
        # Of each hypothesis, as long as it has not ended.
        running, rows = np.arange(len(hypotheses)), np.zeros(len(hypotheses), np.int64)
        words, parents, row_counts = [], [], [1]
        leaves = np.zeros(len(hypotheses), np.int64)
        splits, vocabulary = [0], ids.max() + 1
        for depth in range(ids.shape[1]):
            goes_on = depth < lengths[running]
            # Sorted by these keys, ends of sentences come last.
            keys = rows * vocabulary + ids[running, depth]
            keys += np.where(goes_on, 0, row_counts[-1] * vocabulary)
            distinct, edges = np.unique(keys, return_inverse=True)
            edges = edges.reshape(-1)
            leaves[running[~goes_on]] = splits[-1] + edges[~goes_on]
            words.append(distinct % vocabulary)
            parents.append(distinct // vocabulary % row_counts[-1])
            row_counts.append(len(np.unique(edges[goes_on])))
            splits.append(splits[-1] + len(distinct))
            running, rows = running[goes_on], edges[goes_on]
        return cls(
            np.concatenate(words).astype(np.int32),
            np.concatenate(parents).astype(np.int32),
            np.array(splits, np.int32),
            np.array(row_counts, np.int32),
            leaves,
        )

    @property
    def steps(self) -> int:
        """Rows of all depths: the steps of a decoder that the list takes."""
        return int(self.row_counts.sum())

    @property
    def widest(self) -> int:
        """Rows of the depth that has the most of them."""
        return int(self.row_counts.max())

    def sums(self, values: np.ndarray) -> np.ndarray:
        """Sums what belongs to the edges along the path of each hypothesis.

        Args:
            values: `[edges, columns]`.

        Returns:
            float64, `[hypotheses, columns]`.
        """
        sums = np.array(values, np.float64)
        before = np.zeros_like(sums[:1])
        for first, last in zip(
            self.edge_splits[:-1], self.edge_splits[1:], strict=True
        ):
            sums[first:last] += before[self.parents[first:last]]
            before = sums[first:last]
        return sums[self.leaves]
