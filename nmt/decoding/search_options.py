"""What a search may generate, how it ends, and how its results are ranked."""

import dataclasses

from nmt.decoding.length_penalty import NORMALIZATIONS
from nmt.errors import UserError


@dataclasses.dataclass(frozen=True)
class SearchOptions:
    """All that can be varied about `beam_search`; the defaults are the papers'.

    The score of a hypothesis y of a source x, by which hypotheses are ranked, is

        log p(y | x) / length_penalty(|y|) + coverage_penalty * cp(x, y)

    Attributes:
        keep_finished: False: a finished hypothesis leaves the beam, which shrinks.
            True: the beam stays as wide as it is, the best finished hypotheses are kept
            beside it, and the search ends once none of those in it can still reach
            them. A beam of one is greedy either way.
        length_penalty: alpha of `length_penalty`. None: 0; in a `Translator`, as the
            settings of the training say.
        normalization: `wu` or `mean`, see there.
        coverage_penalty: beta, the weight of cp; needs attention.
        min_length: Fewest tokens, the end of sentence not counted. The length limit of
            the sentence goes before it.
        forbidden_ids: Words that are never generated.
        no_repeat_ngram_size: n: no n words in a row come twice; 0: they may.
        groups: Parts of the beam that are searched one after the other, each kept from
            the words of those before it (Vijayakumar et al., 2018, arXiv:1610.02424).
        diversity: Nats that a word loses, at its position, for each hypothesis of an
            earlier group that has taken it. Only the choice of words feels it: log
            probabilities and scores stay what they are.
        sample: Draw words instead of searching: the beam is as many independent
            samples, of which equal ones are returned once.
        temperature: Divides the logits before a word is drawn.
        top_k: Only so many most likely words are drawn from; 0: all.
        top_p: Only the most likely words that together have this probability are drawn
            from; 1: all.
        seed: Of the samples.

    Example:
        >>> SearchOptions(length_penalty=0.6).check(beam_size=4)
        >>> SearchOptions(groups=3).check(beam_size=4)
        Traceback (most recent call last):
        ...
        nmt.errors.UserError: groups 3: the beam of 4 cannot be cut into as many ...
    """

    keep_finished: bool = False
    length_penalty: float | None = None
    normalization: str = "wu"
    coverage_penalty: float = 0.0
    min_length: int = 0
    forbidden_ids: tuple[int, ...] = ()
    no_repeat_ngram_size: int = 0
    groups: int = 1
    diversity: float = 0.5
    sample: bool = False
    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0
    seed: int = 1

    @property
    def alpha(self) -> float:
        """The length penalty's, as a number."""
        return self.length_penalty or 0.0

    def check(self, beam_size: int) -> None:
        """Refuses what makes no sense.

        Args:
            beam_size: Hypotheses a sentence.

        Raises:
            UserError: with the option, its value and what it may be.
        """
        if self.normalization not in NORMALIZATIONS:
            choices = " or ".join(NORMALIZATIONS)
            raise UserError(f"normalization {self.normalization!r}: choose {choices}")
        values = {**dataclasses.asdict(self), "beam_size": beam_size}
        for name, (lowest, highest) in _RANGES.items():
            value = values[name]
            if value is not None and not lowest <= value <= highest:
                raise UserError(
                    f"{name} {value}: must be between {lowest:,} and {highest:,}"
                )
        if self.groups < 1 or beam_size % self.groups:
            raise UserError(
                f"groups {self.groups}: the beam of {beam_size} cannot be cut into as "
                "many equal parts"
            )
        ways = {
            "keep_finished": self.keep_finished,
            "groups": self.groups > 1,
            "sample": self.sample,
        }
        chosen = [name for name, is_chosen in ways.items() if is_chosen]
        if len(chosen) > 1:
            raise UserError(f"{' and '.join(chosen)} exclude each other: choose one")


# Far above what is of use, and far below what overflows or never ends.
_MILLION = 1_000_000

_RANGES: dict[str, tuple[float, float]] = {
    "beam_size": (1, 10_000),
    "length_penalty": (0, _MILLION),
    "coverage_penalty": (0, _MILLION),
    "min_length": (0, _MILLION),
    "no_repeat_ngram_size": (0, 100),
    "diversity": (0, _MILLION),
    "temperature": (1 / _MILLION, _MILLION),
    "top_k": (0, _MILLION),
    "top_p": (1 / _MILLION, 1),
    "seed": (-(1 << 31), (1 << 31) - 1),
}
