"""One version of a SavedModel, as it is served."""

import dataclasses
import json
import pathlib
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.core.framework import types_pb2

from nmt.data.sentencepiece import register_operations
from nmt.errors import UserError
from nmt.serving.errors import RequestError


@dataclasses.dataclass(frozen=True)
class Signature:
    """A function of a model.

    Attributes:
        inputs: By name.
        outputs: By name.
        function: From the inputs to the outputs.
    """

    inputs: Mapping[str, tf.TensorSpec]
    outputs: Mapping[str, tf.TensorSpec]
    function: Callable[..., Mapping[str, tf.Tensor]]

    @property
    def joins_rows(self) -> bool:
        """Whether rows of several requests can be run as one.

        Every output has one row for each of the inputs', and rows whose size does not
        depend on others: a table as wide as its longest row cannot be cut again into
        what each request alone would have got.
        """
        batched = [each for each in self.inputs.values() if each.shape.rank != 0]
        shapes = [each.shape for each in (*batched, *self.outputs.values())]
        return bool(batched) and all(
            shape.rank and shape[0] is None and shape[1:].is_fully_defined()
            for shape in shapes
        )


class ServedModel:
    """A loaded version of a model.

    Args:
        name: By which it is served.
        folder: Of one version (`saved_model.pb` is in it), or of several, named by
            numbers; the newest is taken.

    Raises:
        UserError: there is no such model.
    """

    def __init__(self, name: str, folder: str) -> None:
        self.name = name
        path = newest_version(pathlib.Path(folder))
        self.version = int(path.name) if path.name.isdecimal() else 1
        if _needs_tensorflow_text(path):
            register_operations()
        try:
            # Kept: its functions do not hold on to its weights.
            self._loaded = tf.saved_model.load(str(path))
        except (OSError, ValueError, tf.errors.OpError) as error:
            first = str(error).splitlines()[0]
            raise UserError(f"{path}: cannot be loaded: {first}") from error
        self.signatures = {
            each: Signature(
                function.structured_input_signature[1],
                function.structured_outputs,
                function,
            )
            for each, function in self._loaded.signatures.items()
        }

    def signature(self, name: str) -> Signature:
        """Returns a signature.

        Raises:
            RequestError: 400, as TensorFlow Serving has it: there is none.
        """
        if name not in self.signatures:
            raise RequestError(
                400, f'Serving signature name: "{name}" not found in signature def'
            )
        return self.signatures[name]

    def run(self, name: str, inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Runs a signature.

        Raises:
            RequestError: 400: the inputs do not fit.
        """
        signature = self.signature(name)
        tensors = {
            each: tf.constant(value, signature.inputs[each].dtype)
            for each, value in inputs.items()
        }
        try:
            found = signature.function(**tensors)
        except (tf.errors.InvalidArgumentError, ValueError) as error:
            raise RequestError(400, _reason(str(error))) from error
        return {each: value.numpy() for each, value in found.items()}

    def status(self) -> dict[str, Any]:
        """Returns TensorFlow Serving's answer to `GET /v1/models/NAME`."""
        status = {"error_code": "OK", "error_message": ""}
        version = {"version": str(self.version), "state": "AVAILABLE", "status": status}
        return {"model_version_status": [version]}

    def metadata(self) -> dict[str, Any]:
        """Returns TensorFlow Serving's answer to `GET /v1/models/NAME/metadata`."""
        signatures = {
            name: {
                "inputs": _described(each.inputs),
                "outputs": _described(each.outputs),
                "method_name": "tensorflow/serving/predict",
            }
            for name, each in self.signatures.items()
        }
        spec = {"name": self.name, "signature_name": "", "version": str(self.version)}
        return {
            "model_spec": spec,
            "metadata": {"signature_def": {"signature_def": signatures}},
        }


def newest_version(folder: pathlib.Path) -> pathlib.Path:
    """Returns the folder of the version to serve.

    Raises:
        UserError: there is none.
    """
    if (folder / "saved_model.pb").is_file():
        return folder.resolve()
    versions = [
        each
        for each in (folder.iterdir() if folder.is_dir() else ())
        if each.name.isdecimal() and (each / "saved_model.pb").is_file()
    ]
    if not versions:
        raise UserError(f"{folder}: no exported model here, nor a version of one")
    return max(versions, key=lambda each: int(each.name))


def _reason(message: str) -> str:
    """Returns the line that says what is wrong: the one before the node's name."""
    found = re.search(r"(.+)\n\s*\[\[\{\{node", message)
    return found[1].strip() if found else message.split("\n", 1)[0]


def _needs_tensorflow_text(path: pathlib.Path) -> bool:
    """Tells what the manifest says; models of others have none."""
    try:
        about = json.loads((path / "manifest.json").read_text(encoding="utf-8"))
        return bool(about["needs_tensorflow_text"])
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _described(specs: Mapping[str, tf.TensorSpec]) -> dict[str, Any]:
    return {
        name: {
            "dtype": types_pb2.DataType.Name(spec.dtype.as_datatype_enum),
            "tensor_shape": {
                "dim": [
                    {"size": str(-1 if size is None else size), "name": ""}
                    for size in (spec.shape.as_list() if spec.shape.rank else ())
                ],
                "unknown_rank": spec.shape.rank is None,
            },
            "name": name,
        }
        for name, spec in specs.items()
    }
