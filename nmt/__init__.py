"""Neural machine translation as in Sutskever, Vinyals and Le (2014).

Importing the package loads nothing: import the module that has what you need, for
example `from nmt.layers.lstm import LSTM`, or call `load` for a trained model.
README.md has the order to read them in.
"""

import pathlib
import typing

if typing.TYPE_CHECKING:
    from nmt.decoding.pretrained import PretrainedTranslator

__version__ = "0.1.0"


def load(
    *run_dirs: str | pathlib.Path, checkpoint: str = "best"
) -> "PretrainedTranslator":
    """Loads a trained model, or several as an ensemble.

    Args:
        run_dirs: Folders that `nmt-train` wrote.
        checkpoint: `best`, `last` or `average`.

    Raises:
        nmt.errors.UserError: a folder cannot be used, or the models make no ensemble.

    Example:
        translator = nmt.load("runs/mine")
        [each.text for each in translator.translate(["a dog runs ."], beam_size=12)]
    """
    # Here: importing the package takes no time.
    from nmt.decoding import Ensemble
    from nmt.decoding.pretrained import PretrainedTranslator
    from nmt.models.run_folder import RunFolder

    members = [RunFolder(each).load_model(checkpoint) for each in run_dirs]
    return PretrainedTranslator(
        Ensemble(members, names=[str(each) for each in run_dirs])
    )
