"""The models that somebody asked for, as an ensemble."""

from typing import Protocol

from nmt.decoding.ensemble import Ensemble
from nmt.decoding.members import normalized_weights
from nmt.errors import UserError
from nmt.models.run_folder import RunFolder


class ModelChoice(Protocol):
    """Which models are to be used: what the requests of all binaries have."""

    @property
    def run_dirs(self) -> tuple[str, ...]:
        """Folders of the trainings."""

    @property
    def checkpoint(self) -> str:
        """`best`, `last` or `average`."""

    @property
    def weights(self) -> tuple[float, ...]:
        """Of the models in the ensemble; empty: equal."""

    @property
    def combination(self) -> str:
        """See `Ensemble`."""


def check_choice(choice: ModelChoice) -> None:
    """Refuses what makes no ensemble, before a model is loaded.

    Raises:
        UserError: a name is empty, or there is not one positive weight a model.
    """
    if not all(choice.run_dirs):
        raise UserError("run_dir: a name is empty; look for a comma too many")
    if choice.weights:
        normalized_weights(choice.weights, len(choice.run_dirs))


def load_ensemble(choice: ModelChoice) -> Ensemble:
    """Loads all models.

    Raises:
        UserError: a run folder cannot be used, or the models make no ensemble.
    """
    return Ensemble(
        [RunFolder(path).load_model(choice.checkpoint) for path in choice.run_dirs],
        weights=choice.weights or None,
        combination=choice.combination,
        names=choice.run_dirs,
    )
