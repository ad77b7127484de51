"""Weights on disk, by the name of each variable."""

import pathlib
from typing import Any

import keras
import tensorflow as tf

from nmt.errors import UserError
from nmt.models.whole_weights import by_whole_path


def variables_by_name(model: keras.Model) -> dict[str, Any]:
    """Returns every variable of a model by name, the seed states of dropout included.

    Slices of a weight are one `WholeWeight`.

    Weights go by their paths: these, unlike positions in a list, survive a change of
    devices or of the order in which layers are made. Keras numbers seed states through
    the whole process, so that they go by their place in the model.

    Raises:
        ValueError: two weights share a path.
    """
    own = {weight.path for weight in model.weights}
    seeds = [each for each in model.variables if each.path not in own]
    return by_whole_path(model.weights) | {
        f"seed/{i}": seed.value for i, seed in enumerate(seeds)
    }


def _checkpoint(model: keras.Model) -> tf.train.Checkpoint:
    return tf.train.Checkpoint(weights=by_whole_path(model.weights))


def save_weights(model: keras.Model, folder: pathlib.Path) -> None:
    """Writes a model's weights to `folder`, whole or not at all.

    The previous weights stay in place until the new ones are complete.
    """
    folder.mkdir(parents=True, exist_ok=True)
    manager = tf.train.CheckpointManager(
        _checkpoint(model), str(folder), max_to_keep=1, checkpoint_name="weights"
    )
    # Under a new name, so that the files of the previous weights are not touched.
    previous = manager.latest_checkpoint or "weights-0"
    manager.save(checkpoint_number=int(previous.rpartition("-")[2]) + 1)


def load_weights(model: keras.Model, folder: pathlib.Path) -> None:
    """Reads what `save_weights` wrote.

    Raises:
        UserError: there are no weights in `folder`, they are damaged, or they are of
            another model.
    """
    prefix = _latest(folder)
    try:
        _checkpoint(model).restore(prefix).assert_consumed()
    except (AssertionError, ValueError) as error:
        raise UserError(
            f"{folder}: these weights are of another model than config.json says"
        ) from error
    except (tf.errors.OpError, IndexError) as error:
        raise UserError(f"{folder}: damaged weights: {prefix}") from error


def _latest(folder: pathlib.Path) -> str:
    """Returns the prefix of the weights' files.

    `tf.train.latest_checkpoint` would log errors of its own first.
    """
    try:
        state = tf.train.get_checkpoint_state(str(folder))
    except ValueError:
        state = None
    if (
        state is not None
        and pathlib.Path(f"{state.model_checkpoint_path}.index").exists()
    ):
        return state.model_checkpoint_path
    if state is not None or (folder.is_dir() and any(folder.iterdir())):
        raise UserError(f"{folder}: damaged weights: files are missing or cut off")
    raise UserError(f"{folder}: no saved weights; train the model first")
