"""From the tensors of a search to hypotheses with their text."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import tensorflow as tf

from nmt.data.codec import TextCodec
from nmt.data.vocabulary import UNK_ID
from nmt.decoding.alignment import replace_unknown
from nmt.decoding.hypotheses import Hypotheses
from nmt.decoding.searcher import Searcher
from nmt.decoding.translation import Hypothesis
from nmt.decoding.translation_options import TranslationOptions


class _Found(NamedTuple):
    """A hypothesis of the search.

    Attributes:
        row: Of the batch.
        slot: Of the beam.
        text: Of its tokens.
    """

    row: int
    slot: int
    text: str


class Reader:
    """Reads what a search has found.

    Args:
        codec: Of the target.
        searcher: What made it, to be asked where it looked.
    """

    def __init__(self, codec: TextCodec, searcher: Searcher) -> None:
        self._codec = codec
        self._searcher = searcher

    def read(
        self,
        found: Hypotheses,
        source: tf.Tensor,
        source_tokens: Sequence[tuple[str, ...]],
        options: TranslationOptions,
    ) -> list[tuple[Hypothesis, ...]]:
        """Returns the best hypotheses of each sentence, of distinct texts.

        One text can come from several sequences of subwords: the best stands for all.

        Args:
            found: By the search, `[batch, beam]`.
            source: What was searched: ids, end of sentence, padding.
            source_tokens: Its tokens, as they stand in the text.
            options: How many hypotheses, and what to tell of them.
        """
        scores = found.scores(options.search).numpy()
        found = Hypotheses(*(part.numpy() for part in found))
        chosen = self._distinct(found, options.n_best)
        alignments: dict[tuple[int, int], np.ndarray] = {}
        if options.alignments or options.dictionary is not None:
            alignments = self._alignments(found, source, source_tokens, chosen)
        result: list[list[Hypothesis]] = [[] for _ in source_tokens]
        for row, slot, text in chosen:
            tokens = self._codec.tokens(_words(found, row, slot))
            alignment = alignments.get((row, slot))
            if options.dictionary is not None and alignment is not None:
                tokens_shown = replace_unknown(
                    tokens,
                    self._codec.vocabulary.tokens[UNK_ID],
                    alignment,
                    source_tokens[row],
                    options.dictionary,
                )
                text = text if tokens_shown == tokens else self._joined(tokens_shown)
            result[row].append(
                Hypothesis(
                    text=text,
                    tokens=tuple(tokens),
                    log_prob=float(found.log_probs[row, slot]),
                    finished=bool(found.finished[row, slot]),
                    score=float(scores[row, slot]),
                    alignment=alignment if options.alignments else None,
                )
            )
        return [tuple(each) for each in result]

    def _distinct(self, found: Hypotheses, n_best: int) -> list[_Found]:
        """Returns the best hypotheses of each sentence, best first."""
        # A single one has nothing to be distinct from.
        beam = found.log_probs[:, : 1 if n_best == 1 else None]
        places = np.argwhere(beam > -np.inf).tolist()
        words = [_words(found, row, slot) for row, slot in places]
        ids = tf.RaggedTensor.from_row_lengths(
            np.array([word for each in words for word in each], np.int32),
            np.array([len(each) for each in words], np.int64),
        )
        chosen: list[_Found] = []
        seen: set[tuple[int, str]] = set()
        counts = [0] * len(beam)
        for (row, slot), text in zip(
            places, map(bytes.decode, self._codec.decode(ids).numpy()), strict=True
        ):
            if (row, text) not in seen and counts[row] < n_best:
                chosen.append(_Found(row, slot, text))
                seen.add((row, text))
                counts[row] += 1
        return chosen

    def _alignments(
        self,
        found: Hypotheses,
        source: tf.Tensor,
        source_tokens: Sequence[tuple[str, ...]],
        chosen: Sequence[_Found],
    ) -> dict[tuple[int, int], np.ndarray]:
        """Returns the alignment of each hypothesis, by its row and slot."""
        alignments = {}
        waiting: dict[int, list[int]] = {row: [] for row in range(len(source_tokens))}
        for row, slot, _ in chosen:
            waiting[row].append(slot)
        # A hypothesis of every sentence at a time, not all of them: memory is bounded.
        while any(waiting.values()):
            slots = {row: each.pop() for row, each in waiting.items() if each}
            longest = max(found.lengths[row, slot] for row, slot in slots.items())
            target = np.zeros([len(source_tokens), longest], np.int32)
            for row, slot in slots.items():
                target[row] = found.ids[row, slot, :longest]
            rows = self._searcher.alignments(source, tf.constant(target)).numpy()
            for row, slot in slots.items():
                columns = len(source_tokens[row]) + 1
                length = found.lengths[row, slot]
                alignments[row, slot] = rows[row, :length, :columns]
        return alignments

    def _joined(self, tokens: list[str]) -> str:
        joined = self._codec.tokenizer.detokenize(tf.ragged.constant([tokens]))
        return joined.numpy()[0].decode()


def _words(found: Hypotheses, row: int, slot: int) -> list[int]:
    """Returns the ids of a hypothesis, without end of sentence."""
    length = found.lengths[row, slot] - found.finished[row, slot]
    return found.ids[row, slot, :length].tolist()
