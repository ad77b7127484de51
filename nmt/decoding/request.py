"""What `nmt-decode` is asked for, and whether it makes sense."""

import dataclasses
import sys

from nmt.config import Config
from nmt.data.text import check_outputs, read_lines
from nmt.decoding.formats import ALIGNMENT_FORMATS, FORMATS
from nmt.decoding.loading import check_choice
from nmt.decoding.shard import Shard
from nmt.decoding.translation_options import TranslationOptions
from nmt.errors import UserError
from nmt.models.run_folder import RunFolder


@dataclasses.dataclass(frozen=True)
class DecodingRequest:
    """What is to be translated, with which models, and how.

    Attributes:
        run_dirs: Folders of the trainings; several are an ensemble.
        checkpoint: `best`, `last` or `average`.
        weights: Of the models in the ensemble; empty: equal.
        combination: `probabilities` or `log_linear`, see `Ensemble`.
        input: Text to translate, a sentence a line; `-` is standard input.
        prefix: Text that the translations begin with, line by line; empty: none.
        shard: `K/N`: only the K-th of N parts of the input; empty: all of it.
        output: Where the translations go; `-` is standard output.
        format: A name in `FORMATS`.
        alignments: Where alignments go, a line for each hypothesis that is written, in
            their order; empty: nowhere.
        alignment_format: A name in `ALIGNMENT_FORMATS`.
        replace_unknown: Whether unknown words are replaced by what they look at.
        dictionary: File of source words and what to write for them when they are looked
            at by an unknown word; empty: the source words themselves.
        options: How to translate; see there.
    """

    run_dirs: tuple[str, ...]
    checkpoint: str = "best"
    weights: tuple[float, ...] = ()
    combination: str = "probabilities"
    input: str = "-"
    prefix: str = ""
    shard: str = ""
    output: str = "-"
    format: str = "text"
    alignments: str = ""
    alignment_format: str = "pharaoh"
    replace_unknown: bool = False
    dictionary: str = ""
    options: TranslationOptions = dataclasses.field(default_factory=TranslationOptions)

    def resolved(self) -> "DecodingRequest":
        """Fills in what the first run folder says, and reads the dictionary.

        Raises:
            UserError: the request makes no sense, or a file cannot be read.
        """
        self._check_formats()
        self._check_files()
        check_choice(self)
        configs = [
            Config.load(RunFolder(run_dir).config_file) for run_dir in self.run_dirs
        ]
        options = self.options
        # Whoever types a line waits for its translation before the next.
        typed = self.input == "-" and sys.stdin.isatty()
        if options.batch_size is None and typed:
            options = dataclasses.replace(options, batch_size=1)
        dictionary: dict[str, str] | None = {} if self.replace_unknown else None
        if self.dictionary:
            dictionary = read_dictionary(self.dictionary)
        options = dataclasses.replace(
            options, alignments=bool(self.alignments), dictionary=dictionary
        )
        return dataclasses.replace(self, options=options.resolved(configs[0]))

    def text(self) -> str:
        """Returns one line for the log: what is done, all defaults filled in."""
        options, search = self.options, self.options.search
        models = " + ".join(self.run_dirs)
        how = f"beam of {options.beam_size}"
        if search.sample:
            how = f"{options.beam_size} samples, temperature {search.temperature:g}"
        penalty = f"length penalty {search.alpha:g}"
        if search.normalization == "mean":
            penalty = "mean over the tokens"
        return (
            f"{models}, {self.checkpoint} weights: {how}, {penalty}, batches of "
            f"{options.batch_size}"
        )

    def _check_formats(self) -> None:
        if self.format not in FORMATS:
            raise UserError(f"format {self.format!r}: choose {', '.join(FORMATS)}")
        if self.alignment_format not in ALIGNMENT_FORMATS:
            raise UserError(
                f"alignment_format {self.alignment_format!r}: choose "
                f"{', '.join(ALIGNMENT_FORMATS)}"
            )
        if self.format == "text" and self.options.n_best > 1:
            raise UserError(
                f"n_best {self.options.n_best} needs --format=moses or jsonl"
            )

    def _check_files(self) -> None:
        if not self.run_dirs:
            raise UserError("run_dir: name at least one folder")
        if self.shard:
            Shard.parse(self.shard)
            if self.input == "-":
                raise UserError(
                    f"shard {self.shard} needs --input=FILE: the lines of a pipe "
                    "cannot be counted beforehand"
                )
        if self.input == self.prefix == "-":
            raise UserError("input and prefix cannot both be standard input")
        if self.output == self.alignments == "-":
            raise UserError("output and alignments cannot both be standard output")
        check_outputs(
            outputs={"output": self.output, "alignments": self.alignments},
            inputs={
                "input": self.input,
                "prefix": self.prefix,
                "dictionary": self.dictionary,
            },
        )


def read_dictionary(path: str) -> dict[str, str]:
    """Reads rows of a source word, a tab and a target word.

    Of several rows for a source word the first one counts.

    Raises:
        UserError: the file cannot be read, or a row has no tab (with its number).
    """
    dictionary: dict[str, str] = {}
    for number, line in enumerate(read_lines(path), start=1):
        source, tab, target = line.partition("\t")
        if not (tab and source.strip() and target.strip()):
            raise UserError(f"{path}:{number}: expected a source word, a tab, a word")
        dictionary.setdefault(source.strip(), target.strip())
    return dictionary
