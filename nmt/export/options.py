"""What is fixed when a model is exported."""

import dataclasses

from nmt.config import Config
from nmt.decoding import SearchOptions, TranslationOptions
from nmt.decoding.request import read_dictionary
from nmt.errors import UserError


@dataclasses.dataclass(frozen=True)
class ServingOptions:
    """How an exported model translates; None: as the settings of the training say.

    Attributes:
        beam_size: Hypotheses searched a line.
        n_best: Hypotheses that the signature `n_best` returns; None: all of the beam.
        batch_size: Lines searched together, of a request that has more.
        search: What is searched, and how results are ranked; no samples.
        replace_unknown: Whether unknown words are replaced by what they look at.
        dictionary: File of what to write for them, see `read_dictionary`; implies
            `replace_unknown`. Empty: the source words themselves.
        max_source_tokens: Longer lines are cut, and the answer says so.
    """

    beam_size: int | None = None
    n_best: int | None = None
    batch_size: int | None = None
    search: SearchOptions = dataclasses.field(default_factory=SearchOptions)
    replace_unknown: bool = False
    dictionary: str = ""
    max_source_tokens: int = 1000

    def resolved(self, config: Config) -> TranslationOptions:
        """Returns the options of a translator that does the same.

        Args:
            config: Of the first model.

        Raises:
            UserError: an option makes no sense, or the dictionary cannot be read.
        """
        if self.search.sample:
            raise UserError("sample: an exported model searches; it draws no samples")
        dictionary: dict[str, str] | None = {} if self.replace_unknown else None
        if self.dictionary:
            dictionary = read_dictionary(self.dictionary)
        beam_size = self.beam_size or config.decoding.beam_size
        return TranslationOptions(
            beam_size=beam_size,
            n_best=beam_size if self.n_best is None else self.n_best,
            batch_size=self.batch_size,
            search=self.search,
            long_lines="cut",
            max_source_length=self.max_source_tokens,
            dictionary=dictionary,
        ).resolved(config)
