"""How lines of text are translated, and what is told about it."""

import dataclasses
from collections.abc import Mapping

from nmt.config import Config
from nmt.data.vocabulary import UNK_ID
from nmt.decoding.beam_search import check_n_best
from nmt.decoding.search_options import SearchOptions
from nmt.errors import UserError

LONG_LINES = ("translate", "cut", "refuse")


@dataclasses.dataclass(frozen=True)
class TranslationOptions:
    """Of a `Translator`; None: as the settings of the training say.

    Attributes:
        beam_size: Hypotheses searched a line.
        n_best: Hypotheses returned a line, at most `beam_size`.
        batch_size: Lines searched together.
        search: What is searched, and how results are ranked.
        forbid_unknown: Never write the token for unknown words.
        alignments: Tell what each word looked at.
        long_lines: What becomes of lines of more than `max_source_length` tokens:
            `translate` them whole, `cut` what is beyond, or `refuse` them.
        max_source_length: Tokens. None: as many as training pairs had at most.
        dictionary: Where an unknown word is written, write instead what this has for
            the source token that it looked at most, or else that token. None: leave it.
    """

    beam_size: int | None = None
    n_best: int = 1
    batch_size: int | None = None
    search: SearchOptions = dataclasses.field(default_factory=SearchOptions)
    forbid_unknown: bool = False
    alignments: bool = False
    long_lines: str = "translate"
    max_source_length: int | None = None
    dictionary: Mapping[str, str] | None = None

    def resolved(self, config: Config) -> "TranslationOptions":
        """Fills in what the settings of a training say.

        Raises:
            UserError: something makes no sense.
        """
        decoding = config.decoding
        search = self.search
        if search.length_penalty is None:
            search = dataclasses.replace(search, length_penalty=decoding.length_penalty)
        if self.forbid_unknown and UNK_ID not in search.forbidden_ids:
            forbidden = (*search.forbidden_ids, UNK_ID)
            search = dataclasses.replace(search, forbidden_ids=forbidden)
        options = dataclasses.replace(
            self,
            beam_size=_first(self.beam_size, decoding.beam_size),
            batch_size=_first(self.batch_size, decoding.batch_size),
            max_source_length=_first(
                self.max_source_length, config.data.max_source_length
            ),
            search=search,
        )
        options.check()
        return options

    def check(self) -> None:
        """Refuses what makes no sense, once all is filled in.

        Raises:
            UserError: with the option and what it may be.
        """
        assert self.beam_size is not None
        self.search.check(self.beam_size)
        check_n_best(self.n_best, self.beam_size)
        if self.long_lines not in LONG_LINES:
            raise UserError(
                f"long_lines {self.long_lines!r}: choose {', '.join(LONG_LINES)}"
            )
        for name in ("n_best", "batch_size", "max_source_length"):
            if not 1 <= getattr(self, name) < 1 << 31:
                raise UserError(
                    f"{name} {getattr(self, name)}: must be at least 1 and below 2^31"
                )

    def check_without_attention(self) -> None:
        """Refuses what no model does that does not attend.

        Raises:
            UserError: with the option.
        """
        wanted = {
            "alignments": self.alignments,
            "replacing unknown words": self.dictionary is not None,
            "coverage_penalty": self.search.coverage_penalty > 0,
        }
        for name, is_wanted in wanted.items():
            if is_wanted:
                raise UserError(f"{name}: no model has attention")


def _first(given: int | None, default: int) -> int:
    return default if given is None else given
