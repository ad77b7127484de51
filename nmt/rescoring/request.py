"""What `nmt-rescore` is asked for, and whether it makes sense."""

import dataclasses
import pathlib

from nmt.config import Config, EvaluationConfig
from nmt.data.text import check_outputs, check_readable_again
from nmt.decoding.loading import check_choice
from nmt.errors import UserError
from nmt.evaluation import Bootstrap
from nmt.models.run_folder import RunFolder
from nmt.rescoring.mix import EVEN, FILE, TUNE, Mix


@dataclasses.dataclass(frozen=True)
class RescoringRequest:
    """Which lists are scored by which models, and what is made of the scores.

    Attributes:
        run_dirs: Folders of the trainings; several are scored one by one, and together
            as an ensemble. None: the lists are ranked by what they have.
        source: File of the source lines; `-` is standard input.
        n_best: File of their lists, as Moses writes them; `-` is standard input.
        output: Where the lists with the new features go; `-` is standard output.
            Empty, without models: nowhere.
        checkpoint: `best`, `last` or `average`.
        weights: Of the models in the ensemble; empty: equal.
        combination: `probabilities` or `log_linear`, see `Ensemble`.
        mix: `even`, `weights=...`, `file:PATH` or `tune:PATH`; see `Mix`.
        reference: File of what is right, a line a source line; empty: no scores.
        rerank: Where the best hypothesis of each source line goes; empty: nowhere.
        n_best_output: Where the lists in their new order go; empty: nowhere.
        report: Where the report goes as text; empty: to the log.
        report_json: Where it goes as JSON; empty: nowhere.
        bleu_tokenizer: sacrebleu's name of it; empty: the first run folder's, or its
            default.
        lowercase: Whether BLEU ignores case; None: likewise.
        bootstrap_samples: Of the test of the mix against the 1-best; 0: no test.
        bootstrap_seed: Of the samples, above zero.
        tune_features: The list's own features that get weights, too; `all`: all.
        tune_restarts: Points that tuning starts from, besides the first one.
        tune_seed: Of these points.
    """

    run_dirs: tuple[str, ...]
    source: str
    n_best: str
    output: str = ""
    checkpoint: str = "best"
    weights: tuple[float, ...] = ()
    combination: str = "probabilities"
    mix: str = EVEN
    reference: str = ""
    rerank: str = ""
    n_best_output: str = ""
    report: str = ""
    report_json: str = ""
    bleu_tokenizer: str = ""
    lowercase: bool | None = None
    bootstrap_samples: int = Bootstrap.samples
    bootstrap_seed: int = Bootstrap.seed
    tune_features: tuple[str, ...] = ()
    tune_restarts: int = 8
    tune_seed: int = 1

    @property
    def tuned_file(self) -> str:
        """Where tuned weights go; empty: nothing is tuned."""
        return self.mix.removeprefix(TUNE) if self.mix.startswith(TUNE) else ""

    @property
    def outputs(self) -> dict[str, str]:
        """All files to be written, by the flag that names them."""
        named = {
            "--output": self.output,
            "--rerank": self.rerank,
            "--n_best_output": self.n_best_output,
            "--report": self.report,
            "--report_json": self.report_json,
            "--mix=tune": self.tuned_file,
        }
        return {flag: path for flag, path in named.items() if path}

    @property
    def scores_file(self) -> str:
        """Where scores are kept beside the output; empty: that is no file."""
        final = pathlib.Path(self.output)
        if self.output in ("", "-") or (final.exists() and not final.is_file()):
            return ""
        final = final.resolve()
        return str(final.with_name(f".{final.name}.scores"))

    @property
    def inputs(self) -> dict[str, str]:
        """All files that are read, by the flag that names them."""
        named = {
            "--source": self.source,
            "--n_best": self.n_best,
            "--reference": self.reference,
        }
        if self.mix.startswith(FILE):
            named["--mix=file"] = self.mix.removeprefix(FILE)
        for path in self.model_files():
            named[f"{path.name} of --run_dir"] = str(path)
        return named

    def check(self) -> None:
        """Refuses what makes no sense, before anything is read.

        Raises:
            UserError: with what to change.
        """
        self._check_inputs()
        self._check_outputs()
        self._check_mix()
        Bootstrap(self.bootstrap_samples, self.bootstrap_seed)

    def _check_inputs(self) -> None:
        check_choice(self)
        for flag, path in (("--source", self.source), ("--n_best", self.n_best)):
            if not path:
                raise UserError(f"{flag}: name a file")
        if self.source == self.n_best == "-":
            raise UserError("source and n_best cannot both be standard input")
        if self.reference == "-" in (self.source, self.n_best):
            raise UserError("reference and another cannot both be standard input")

    def _check_outputs(self) -> None:
        if self.run_dirs and not self.output:
            raise UserError("--output: name the file for the lists with their scores")
        if not (self.run_dirs or self.outputs or self.reference):
            raise UserError("there is nothing to do: name a file to be written")
        piped = [flag for flag, path in self.outputs.items() if path == "-"]
        if len(piped) > 1:
            raise UserError(f"{' and '.join(piped)} cannot all be standard output")
        written = {**self.outputs, "the scores kept for --output": self.scores_file}
        check_outputs(written, self.inputs)
        for flag, path in self.outputs.items():
            # Better now than when all is scored.
            folder = pathlib.Path(path).absolute().parent
            if path != "-" and not folder.is_dir():
                raise UserError(f"{flag}: {path}: there is no folder {folder}")

    def _check_mix(self) -> None:
        if self.mix.startswith(TUNE):
            if not self.tuned_file:
                raise UserError("--mix=tune:PATH needs a file for the weights")
            if not self.reference:
                raise UserError(
                    f"--mix={self.mix} needs --reference: weights are tuned for BLEU"
                )
            return
        if self.tune_features:
            raise UserError("--tune_features needs --mix=tune:PATH")
        if self.mix.startswith(FILE):
            check_readable_again(self.mix.removeprefix(FILE))
        if self.mix == EVEN and not self.run_dirs:
            raise UserError(
                "--mix=even needs a model: give --run_dir, or weights of what the "
                "lists have, such as --mix=weights=total:0.5,NAME:0.5"
            )
        Mix.parse(self.mix)

    def evaluation(self) -> EvaluationConfig:
        """Returns how BLEU is computed.

        Raises:
            UserError: a run folder has no settings.
        """
        configs = [
            Config.load(RunFolder(run_dir).config_file) for run_dir in self.run_dirs
        ]
        saved = configs[0].evaluation if configs else EvaluationConfig()
        lowercase = saved.lowercase if self.lowercase is None else self.lowercase
        return EvaluationConfig(
            bleu_tokenizer=self.bleu_tokenizer or saved.bleu_tokenizer,
            lowercase=lowercase,
        )

    def model_files(self) -> list[pathlib.Path]:
        """Returns what scores depend on: settings, vocabularies and weights."""
        files: list[pathlib.Path] = []
        for run_dir in self.run_dirs:
            folder = RunFolder(run_dir)
            files += [folder.config_file]
            for part in ("*.vocab", "*.model", f"{self.checkpoint}/*"):
                files += sorted(folder.path.glob(part))
        return files
