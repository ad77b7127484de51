"""log p(y given x) of all hypotheses of a sentence, by a model or several."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from nmt.data.pipeline import source_batch
from nmt.data.vocabulary import BOS_ID, UNK_ID
from nmt.decoding.ensemble import Ensemble
from nmt.decoding.prefix_forest import PrefixForest
from nmt.decoding.prefix_tree import PrefixTree
from nmt.errors import UserError
from nmt.layers import Logits, log_normalizer, logits_at, map_shards

# Logits of one model that are in memory at once: 64 MiB.
_MAX_LOGITS = 1 << 24
# Prefixes of several sentences that are in a step together: more would be no quicker.
_ROWS_TOGETHER = 256
_NUMBERS = tf.TensorSpec([None], tf.int32)


class ListScores(NamedTuple):
    """What the models make of the hypotheses of a sentence.

    Attributes:
        log_probs: float64, `[hypotheses, models]`, nats: log p of all words and of the
            end of sentence, by each model. Of several models the last column is the
            ensemble's.
        unknown_words: int, `[hypotheses]`: words of each that the models do not know.
        steps: Steps of a decoder that were made.
        words: Words and ends of sentence: the steps without shared prefixes.
    """

    log_probs: np.ndarray
    unknown_words: np.ndarray
    steps: int
    words: int


class _Part(NamedTuple):
    """Hypotheses of one list that are scored together.

    Attributes:
        number: Of the list.
        places: Of the hypotheses in it.
        tree: Their prefixes.
    """

    number: int
    places: list[int]
    tree: PrefixTree


class Scorer:
    """Scores given hypotheses by forced decoding.

        log p(y | x) = sum_i log p(y_i | x, y_1 ... y_{i-1})

    where the last y_i is the end of sentence, a word like any other, and an unknown
    word has the probability of `<unk>`. Logarithms are natural, and nothing is divided
    by the length.

    A source is encoded once. Hypotheses that begin with the same words share the steps
    of these words (`PrefixTree`), the softmax is normalised once a step, and only the
    words that follow are looked up: this gives the numbers of
    `Ensemble.forced_decoding` for less. A list that is too wide for the memory is
    scored in parts, each with its own tree and the source encoded once more. Lists that
    are short take their steps together (`PrefixForest`), those of sources of about
    equal length.

    A hypothesis is text, cut into tokens as the training text was. With sentencepiece
    the tokens of a decoded hypothesis may have been others: then its log probability
    is, too.

    Args:
        ensemble: The models.
        max_rows: Most prefixes that are in a step together. None: as many as give
            64 MiB of logits a model.

    Example:
        scorer = Scorer(Ensemble([RunFolder("runs/mine").load_model()]))
        scores = scorer.score("a dog runs .", ["un chien court .", "un chat ."])
    """

    def __init__(self, ensemble: Ensemble, max_rows: int | None = None) -> None:
        first = ensemble.members[0]
        self._ensemble = ensemble
        self._source_codec, self._target_codec = first.source_codec, first.target_codec
        vocabulary_size = first.target_codec.vocabulary_size
        self._max_rows = max_rows or max(_MAX_LOGITS // vocabulary_size, 1)
        self._edges = tf.function(
            self._edge_log_probs,
            input_signature=[tf.TensorSpec([None, None], tf.int32), *[_NUMBERS] * 6],
        )

    @property
    def models(self) -> int:
        """Columns of the scores: the models, and the ensemble if there are several."""
        members = len(self._ensemble.members)
        return members if members == 1 else members + 1

    def score(self, source: str, hypotheses: Sequence[str]) -> ListScores:
        """Scores the hypotheses of one sentence; see `score_lists`."""
        return self.score_lists([source], [hypotheses])[0]

    def score_lists(
        self,
        sources: Sequence[str],
        lists: Sequence[Sequence[str]],
        progress: Callable[[int], None] = lambda done: None,
    ) -> list[ListScores]:
        """Scores the hypotheses of several sentences.

        As in translation, a blank source has the empty hypothesis for certain; what
        else it has is what the models make of the end of sentence alone.

        Args:
            sources: Lines of text, at least one.
            lists: Of each source, lines of text: its hypotheses, at least one; they may
                be empty, and equal.
            progress: Is told the number of hypotheses done, after every batch.

        Raises:
            UserError: the models' probabilities are not finite.
        """
        source_ids = self._source_codec.encode(tf.constant(list(sources)))
        flat = self._target_codec.encode(tf.constant([y for ys in lists for y in ys]))
        remaining = iter(flat.to_list())
        rows = [list(itertools.islice(remaining, len(each))) for each in lists]
        log_probs = [np.zeros([len(each), self.models]) for each in rows]
        steps, done = [0] * len(rows), 0
        lengths = source_ids.row_lengths().numpy()
        for parts in self._batches(rows, lengths):
            trees = [part.tree for part in parts]
            forest = PrefixForest.of(trees)
            batch = tf.gather(source_ids, [part.number for part in parts])
            found = self._edges(source_batch(batch, reverse=False), *forest).numpy()
            for part, values in zip(parts, forest.split(trees, found), strict=True):
                log_probs[part.number][part.places] = part.tree.sums(values)
                steps[part.number] += part.tree.steps
                done += len(part.places)
            progress(done)
        scores = []
        for place, source in enumerate(sources):
            own = log_probs[place]
            if not np.isfinite(own).all():
                raise UserError(
                    f"the models have no finite probabilities for {source[:80]!r}: a "
                    "training has diverged"
                )
            if not lengths[place]:
                own[[not row for row in rows[place]]] = 0.0
            unknown = np.array([row.count(UNK_ID) for row in rows[place]])
            words = sum(len(row) + 1 for row in rows[place])
            scores.append(ListScores(own, unknown, steps[place], words))
        return scores

    def _batches(
        self, lists: Sequence[Sequence[list[int]]], lengths: np.ndarray
    ) -> Iterator[list[_Part]]:
        """Yields what is scored together: sources of about equal length."""
        batch: list[_Part] = []
        widest = 0
        for number in np.argsort(lengths, kind="stable"):
            rows = lists[number]
            # Neighbours share the most words: parts lose little of what is shared.
            order = sorted(range(len(rows)), key=rows.__getitem__)
            for places, tree in self._trees(rows, order):
                widest = max(widest, tree.widest)
                if batch and (len(batch) + 1) * widest > self._together:
                    yield batch
                    batch, widest = [], tree.widest
                batch.append(_Part(number, places, tree))
        if batch:
            yield batch

    @property
    def _together(self) -> int:
        """Most prefixes of several sentences in a step; more would gain nothing."""
        return min(self._max_rows, _ROWS_TOGETHER)

    def _trees(
        self, rows: Sequence[list[int]], places: list[int]
    ) -> Iterator[tuple[list[int], PrefixTree]]:
        """Halves a list until every part fits; yields the places with their tree."""
        tree = PrefixTree.of([rows[place] for place in places])
        if tree.widest <= self._max_rows or len(places) == 1:
            yield places, tree
            return
        half = len(places) // 2
        yield from self._trees(rows, places[:half])
        yield from self._trees(rows, places[half:])

    def _edge_log_probs(
        self,
        source: tf.Tensor,
        words: tf.Tensor,
        parents: tf.Tensor,
        edge_splits: tf.Tensor,
        row_words: tf.Tensor,
        row_parents: tf.Tensor,
        row_splits: tf.Tensor,
    ) -> tf.Tensor:
        """Returns log p of every edge's word, float32, `[edges, models]`.

        Args:
            source: int32, `[trees, source_len]`: ids, end of sentence, padding.
            words: As in `PrefixForest`, like all that follows.
            parents: There.
            edge_splits: There.
            row_words: There.
            row_parents: There.
            row_splits: There.
        """
        state, memory = self._ensemble.encode(source)
        depths = tf.size(edge_splits) - 1

        def advance(
            depth: tf.Tensor, ids: tf.Tensor, state: Any, found: tf.TensorArray
        ) -> tuple[Any, ...]:
            logits, state = self._ensemble.step_each(ids, state, memory)
            edges = slice(edge_splits[depth], edge_splits[depth + 1])
            places = tf.stack([parents[edges], words[edges]], axis=1)
            log_probs = self._ensemble.chosen_log_probs(
                logits, lambda each: _log_probs(each, places)
            )
            found = found.write(depth, tf.stack(log_probs, axis=1))
            rows = slice(row_splits[depth], row_splits[depth + 1])
            state = tf.nest.map_structure(
                lambda x: tf.gather(x, row_parents[rows]), state
            )
            return depth + 1, row_words[rows], state, found

        start = (
            tf.constant(0),
            tf.fill([tf.shape(source)[0]], BOS_ID),
            state,
            tf.TensorArray(
                tf.float32, depths, element_shape=[None, self.models], infer_shape=False
            ),
        )
        any_rows = tf.nest.map_structure(
            lambda x: tf.TensorShape([None, *x.shape[1:]]), state
        )
        *_, found = tf.while_loop(
            lambda depth, *_: depth < depths,
            advance,
            start,
            (
                tf.TensorShape([]),
                tf.TensorShape([None]),
                any_rows,
                tf.TensorShape(None),
            ),
        )
        return found.concat()


def _log_probs(logits: Logits, places: tf.Tensor) -> tf.Tensor:
    """Returns log p of words, `[edges]`; one normaliser a row serves all its words.

    Args:
        logits: `[rows, vocabulary]` or slices of it.
        places: int32, `[edges, 2]`: row and word of each.
    """
    logits = map_shards(lambda shard, _: tf.cast(shard, tf.float32), logits)
    normalizers = log_normalizer(logits)
    return logits_at(logits, places) - tf.gather(normalizers, places[:, 0])
