"""What `nmt-export` is asked for, and whether it makes sense."""

import dataclasses
import pathlib

from nmt.decoding.loading import check_choice
from nmt.errors import UserError
from nmt.export.compression import KINDS
from nmt.export.options import ServingOptions
from nmt.export.warm_up import messages


@dataclasses.dataclass(frozen=True)
class ExportRequest:
    """Which models are exported, where to, and how they are to translate.

    Attributes:
        run_dirs: Folders of the trainings; several are an ensemble.
        output: Folder of all versions; the new one goes into `OUTPUT/VERSION`.
        version: Its number, from 1; 0: the one after the highest that there is.
        checkpoint: `best`, `last` or `average`.
        weights: Of the models in the ensemble; empty: equal.
        combination: `probabilities` or `log_linear`, see `Ensemble`.
        warm_up: Whether to write warm-up requests; needs `tensorflow_serving`.
        options: How to translate; see there.
        compression: Of the weights: `none`, `float16` or `int8`.
        source: Text that is translated with and without the compression; empty: none.
        reference: Its translation.
    """

    run_dirs: tuple[str, ...]
    output: str
    version: int = 0
    checkpoint: str = "best"
    weights: tuple[float, ...] = ()
    combination: str = "probabilities"
    warm_up: bool = False
    options: ServingOptions = dataclasses.field(default_factory=ServingOptions)

    compression: str = "none"
    source: str = ""
    reference: str = ""

    def check(self) -> None:
        """Refuses what makes no sense, before a model is loaded.

        Raises:
            UserError: with what to change.
        """
        if not self.run_dirs:
            raise UserError("run_dir: name at least one folder")
        if not self.output:
            raise UserError("output: name the folder for the exported model")
        check_choice(self)
        if self.warm_up:
            messages()
        if self.compression not in KINDS:
            raise UserError(
                f"compression {self.compression!r}: choose {', '.join(KINDS)}"
            )
        if bool(self.source) != bool(self.reference):
            raise UserError("source and reference: give both, or neither")
        if self.source and self.compression == "none":
            raise UserError("source: is for what a compression costs; choose one")
        if self.version < 0:
            raise UserError(f"version {self.version}: give a number from 1")
        if self.folder.exists():
            raise UserError(
                f"{self.folder} exists: choose another --version, or delete it"
            )

    @property
    def folder(self) -> pathlib.Path:
        """Where the export goes."""
        output = pathlib.Path(self.output)
        if self.version:
            return output / str(self.version)
        if output.exists() and not output.is_dir():
            raise UserError(f"{output}: is no folder")
        versions = output.iterdir() if output.is_dir() else ()
        numbers = [int(each.name) for each in versions if each.name.isdecimal()]
        return output / str(max(numbers, default=0) + 1)
