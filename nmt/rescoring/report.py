"""What a rescoring found, as text and as JSON."""

import dataclasses
import json
from collections.abc import Iterator, Mapping

from nmt.evaluation import PairedBootstrap, Score
from nmt.rescoring.columns import FIRST
from nmt.rescoring.mix import Mix


@dataclasses.dataclass(frozen=True)
class SystemScore:
    """BLEU of one way to choose from the lists.

    Attributes:
        system: Its name.
        score: BLEU.
        difference: From the list's own 1-best.
    """

    system: str
    score: Score
    difference: float


@dataclasses.dataclass(frozen=True)
class RescoringReport:
    """What `nmt-rescore` says.

    Attributes:
        features: The names of the new features: log p(y | x), nats, higher is better.
            Without models there are none, and no unknown words, words and steps.
        mix: The weights by which the lists were ranked.
        sentences: Source lines.
        lists: Sentences that have a list; the others become empty lines.
        hypotheses: Of all lists.
        hypotheses_with_unknown: Those with a word that the models do not know, which
            counts as `<unk>`.
        unknown_words: Such words.
        words: Words and ends of sentence of all hypotheses.
        steps: Steps of a decoder for them: equal beginnings are one.
        scores: Of all systems, where there is a reference.
        paired_bootstrap: Of the mix against the 1-best, likewise.
    """

    features: tuple[str, ...]
    mix: Mapping[str, float]
    sentences: int
    lists: int
    hypotheses: int
    hypotheses_with_unknown: int = 0
    unknown_words: int = 0
    words: int = 0
    steps: int = 0
    scores: tuple[SystemScore, ...] = ()
    paired_bootstrap: PairedBootstrap | None = None

    def json(self) -> str:
        """Returns the report as one indented JSON object."""
        return json.dumps(dataclasses.asdict(self), indent=2) + "\n"

    def text(self) -> str:
        """Returns the report for a reader."""
        return "\n".join([*self._lines(), *self._score_lines()]) + "\n"

    def _lines(self) -> Iterator[str]:
        yield (
            f"{self.hypotheses:,} hypotheses for {self.lists:,} of {self.sentences:,} "
            "sentences"
        )
        if self.features:
            yield (
                f"new: {', '.join(self.features)}: log p(hypothesis given source), "
                "natural logarithm, higher is better"
            )
            yield (
                f"with words that the models do not know: "
                f"{self.hypotheses_with_unknown:,} hypotheses ({self.unknown_words:,} "
                "words, scored as <unk>)"
            )
            yield (
                f"{self.words:,} words and ends of sentence in {self.steps:,} steps: "
                f"equal beginnings save {1 - self.steps / max(self.words, 1):.1%}"
            )
        yield f"mix: {Mix(self.mix)}"

    def _score_lines(self) -> Iterator[str]:
        if not self.scores:
            return
        width = max(len(each.system) for each in self.scores)
        yield ""
        yield f"bleu  {self.scores[0].score.signature}"
        for each in self.scores:
            line = f"    {each.system:<{width}}  {each.score.value:6.2f}"
            if each.system != FIRST:
                line += f"  {round(each.difference, 2) + 0.0:+.2f}"
            yield line
        yield (
            "oracle: of each list the hypothesis of highest sentence BLEU, with 1 "
            "added above unigrams"
        )
        if self.paired_bootstrap:
            test = self.paired_bootstrap
            yield (
                f"paired bootstrap of the mix against the {FIRST}, {test.samples:,} "
                f"samples, seed {test.seed}: {test}"
            )
            yield f"    {test.signature}"
