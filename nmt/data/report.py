"""What a user should know about the data before hours of training on it."""

import dataclasses
from typing import NamedTuple

import numpy as np

from nmt.data.codec import TextCodec
from nmt.data.corpus import Corpus
from nmt.data.drops import Dropped
from nmt.data.epoch import EpochPlan
from nmt.data.statistics import PERCENTILES, CorpusStatistics, SideStatistics
from nmt.errors import UserError

# Pairs that are shown as the model will see them.
_SAMPLES = 5


class UpdateSize(NamedTuple):
    """What one update costs.

    Attributes:
        parameters: Numbers that are trained.
        memory: Estimated bytes of an update on the largest batch.
    """

    parameters: int
    memory: int


@dataclasses.dataclass(frozen=True)
class DataReport:
    """Text, vocabulary, batches and size of a training, told before it starts.

    Attributes:
        training: What was seen in the training text.
        validation: What was seen in the validation text; None: pairs are held out.
        training_pairs: Pairs to train on.
        held_out: Pairs of the training text that are held out for validation.
        vocabulary_sizes: Rows of the source and the target vocabulary.
        plan: The first epoch; other epochs differ by a few batches at most.
        size: Parameters and memory.
        samples: Source and target tokens of a few pairs, after look-up.
    """

    training: CorpusStatistics
    validation: CorpusStatistics | None
    training_pairs: int
    held_out: int
    vocabulary_sizes: tuple[int, int]
    plan: EpochPlan
    size: UpdateSize
    samples: tuple[tuple[str, str], ...]

    def text(self) -> str:
        """Returns the report as lines of text."""
        lines = _text_lines("training", self.training)
        if self.validation:
            lines += _text_lines("validation", self.validation)
        source_size, target_size = self.vocabulary_sizes
        lines += [
            f"pairs: {self.training_pairs:,} to train on, {self.held_out:,} held out",
            f"vocabulary: {source_size:,} source rows, {target_size:,} target rows",
            f"epoch: {self.plan.batches:,} updates, {self.plan.padding_percent:.1f} % "
            "of the positions are padding",
        ]
        lines += [
            f"  length {bucket.length}: {bucket.batches:,} updates, "
            f"{bucket.filled_percent:.0f} % of the rows are filled"
            for bucket in self.plan.buckets
        ]
        lines += [
            f"model: {self.size.parameters:,} parameters, about "
            f"{self.size.memory / 1e9:.1f} GB for an update on the largest batch",
            "pairs as the model sees them:",
        ]
        for source, target in self.samples:
            lines += [f"  source: {source}", f"  target: {target}"]
        return "\n".join(lines) + "\n"

    def check(self, max_unknown_percent: float) -> None:
        """Refuses text that the vocabulary does not fit.

        Args:
            max_unknown_percent: Largest share of unknown tokens of a file, in percent.

        Raises:
            UserError: a file has a larger share; with its commonest unknown tokens.
        """
        for text in (self.training, self.validation):
            for side in (text.source, text.target) if text else ():
                if side.unknown_percent > max_unknown_percent:
                    raise UserError(
                        f"{side.path}: {side.unknown_percent:.1f} % of the tokens are "
                        f"not in the vocabulary ({_commonest(side)}): is it of another "
                        "language, case or tokenizer? Mend it, or raise "
                        f"max_unknown_percent ({max_unknown_percent:g})"
                    )


def sample_pairs(
    corpus: Corpus, rows: np.ndarray, source_codec: TextCodec, target_codec: TextCodec
) -> tuple[tuple[str, str], ...]:
    """Shows a few pairs, spread over the corpus, as the model will see them.

    Args:
        corpus: The pairs.
        rows: int64, `[pairs]`; rows of the corpus to choose from.
        source_codec: Knows the source tokens.
        target_codec: Knows the target tokens.

    Returns:
        Source and target tokens of each pair, separated by spaces.
    """
    places = np.linspace(0, len(rows) - 1, min(len(rows), _SAMPLES)).astype(int)
    sides = (corpus.source, source_codec), (corpus.target, target_codec)
    source, target = (
        [" ".join(codec.tokens(side.read(rows[[i]]).ids.tolist())) for i in places]
        for side, codec in sides
    )
    return tuple(zip(source, target, strict=True))


def _text_lines(name: str, text: CorpusStatistics) -> list[str]:
    return [
        *_file_lines(f"{name} source", text.source),
        *_file_lines(f"{name} target", text.target),
        *map(_dropped_line, text.dropped),
    ]


def _file_lines(name: str, side: SideStatistics) -> list[str]:
    lengths = ", ".join(
        f"{percent} % up to {length}"
        for percent, length in zip(PERCENTILES, side.percentiles, strict=True)
    )
    return [
        f"{name}: {side.path}",
        f"  {side.lines:,} lines, {side.tokens:,} tokens, {side.unknown_percent:.2f} % "
        "of them unknown" + (f" ({_commonest(side)})" if side.unknown else ""),
        f"  tokens a line: {lengths}",
    ]


def _commonest(side: SideStatistics) -> str:
    return ", ".join(f"{token} {count:,}" for token, count in side.commonest_unknown)


def _dropped_line(dropped: Dropped) -> str:
    numbers = ", ".join(map(str, dropped.first_lines))
    more = ", ..." if dropped.pairs > len(dropped.first_lines) else ""
    return f"dropped, {dropped.reason}: {dropped.pairs:,} (line {numbers}{more})"
