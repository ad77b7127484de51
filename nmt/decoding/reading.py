"""From the tensors of a search to hypotheses with their text."""

from collections.abc import Mapping, Sequence

import numpy as np
import tensorflow as tf

from nmt.data.codec import TextCodec
from nmt.data.vocabulary import UNK_ID
from nmt.decoding.alignment import replace_unknown
from nmt.decoding.hypotheses import Hypotheses
from nmt.decoding.searcher import Searcher
from nmt.decoding.translation import Hypothesis
from nmt.decoding.translation_options import TranslationOptions

# A hypothesis of a search: its row of the batch and its slot of the beam.
_Place = tuple[int, int]


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
        # A single one has nothing to be distinct from.
        beam = found.log_probs[:, : 1 if options.n_best == 1 else None]
        places = [(row, slot) for row, slot in np.argwhere(beam > -np.inf).tolist()]
        words = {place: _words(found, *place) for place in places}
        texts = self._texts(words)
        alignments: dict[_Place, np.ndarray] = {}
        if options.dictionary is not None:
            # Before texts are compared: what is replaced may make them equal.
            unknown = [place for place in places if UNK_ID in words[place]]
            alignments = self._alignments(found, source, source_tokens, unknown)
            for row, slot in unknown:
                tokens = replace_unknown(
                    self._codec.tokens(words[row, slot]),
                    self._codec.vocabulary.tokens[UNK_ID],
                    alignments[row, slot],
                    source_tokens[row],
                    options.dictionary,
                )
                texts[row, slot] = self._joined(tokens)
        chosen = _distinct(texts, options.n_best)
        if options.alignments:
            missing = [place for place in chosen if place not in alignments]
            alignments |= self._alignments(found, source, source_tokens, missing)
        result: list[list[Hypothesis]] = [[] for _ in source_tokens]
        for row, slot in chosen:
            result[row].append(
                Hypothesis(
                    text=texts[row, slot],
                    tokens=tuple(self._codec.tokens(words[row, slot])),
                    log_prob=float(found.log_probs[row, slot]),
                    finished=bool(found.finished[row, slot]),
                    score=float(scores[row, slot]),
                    alignment=alignments[row, slot] if options.alignments else None,
                )
            )
        return [tuple(each) for each in result]

    def _texts(self, words: Mapping[_Place, list[int]]) -> dict[_Place, str]:
        ids = tf.RaggedTensor.from_row_lengths(
            np.array([word for each in words.values() for word in each], np.int32),
            np.array([len(each) for each in words.values()], np.int64),
        )
        texts = map(bytes.decode, self._codec.decode(ids).numpy())
        return dict(zip(words, texts, strict=True))

    def _alignments(
        self,
        found: Hypotheses,
        source: tf.Tensor,
        source_tokens: Sequence[tuple[str, ...]],
        places: Sequence[_Place],
    ) -> dict[_Place, np.ndarray]:
        """Returns the alignment of each of these hypotheses."""
        alignments = {}
        waiting: dict[int, list[int]] = {row: [] for row in range(len(source_tokens))}
        for row, slot in places:
            waiting[row].append(slot)
        # A hypothesis of every sentence at a time, not all of them: memory is bounded.
        while any(waiting.values()):
            slots = {row: each.pop() for row, each in waiting.items() if each}
            longest = max(found.lengths[place] for place in slots.items())
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


def _distinct(texts: Mapping[_Place, str], n_best: int) -> list[_Place]:
    """Returns the first hypotheses of each sentence with a text of their own."""
    chosen: list[_Place] = []
    seen: set[tuple[int, str]] = set()
    counts: dict[int, int] = {}
    for (row, slot), text in texts.items():
        count = counts.get(row, 0)
        if (row, text) not in seen and count < n_best:
            chosen.append((row, slot))
            seen.add((row, text))
            counts[row] = count + 1
    return chosen
