"""Requests and answers of TensorFlow Serving's REST API as arrays."""

import base64
import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from nmt.serving.errors import RequestError

Specs = Mapping[str, tf.TensorSpec]


class PredictRequest(NamedTuple):
    """What a client asks for.

    Attributes:
        signature: Its name.
        inputs: One array for each input of the signature.
        is_rows: Whether it came by rows (`instances`), and the answer goes so.
    """

    signature: str
    inputs: dict[str, np.ndarray]
    is_rows: bool


def read_request(body: bytes, specs: Callable[[str], Specs]) -> PredictRequest:
    """Reads the body of a `:predict` request.

    Args:
        body: JSON, an object with `instances` or `inputs`.
        specs: From the name of a signature to its inputs.

    Raises:
        RequestError: 400: it is no such object, or does not fit the signature.
    """
    try:
        request = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise _bad(f"JSON Parse error: {error}") from error
    if not isinstance(request, dict):
        raise _bad("JSON Value is not formatted correctly: an object is expected")
    name = request.get("signature_name", "serving_default")
    if not isinstance(name, str):
        raise _bad("'signature_name' key must be a string value")
    if ("instances" in request) == ("inputs" in request):
        raise _bad("Give either 'instances' or 'inputs'")
    inputs = specs(name or "serving_default")
    is_rows = "instances" in request
    if is_rows:
        columns = _columns(request["instances"], inputs)
    else:
        columns = _named(request["inputs"], inputs)
    arrays = {each: _array(each, columns[each], inputs[each]) for each in inputs}
    return PredictRequest(name or "serving_default", arrays, is_rows)


def answer(outputs: Mapping[str, np.ndarray], is_rows: bool) -> dict[str, Any]:
    """Makes the answer to a request, which `json.dumps` writes.

    One output stands alone, several by their names; outputs named `..._bytes` are in
    base64.

    Args:
        outputs: One array for each output of the signature.
        is_rows: Whether the answer is by rows.

    Raises:
        RequestError: 400: by rows, and an output has not as many rows as the others.

    Example:
        >>> answer({"length": np.array([3, 1])}, is_rows=True)
        {'predictions': [3, 1]}
        >>> answer({"a": np.array([3]), "b": np.array([1])}, is_rows=False)
        {'outputs': {'a': [3], 'b': [1]}}
    """
    values = {name: _jsonable(name, value) for name, value in outputs.items()}
    if not is_rows:
        return {"outputs": next(iter(values.values())) if len(values) == 1 else values}
    if any(each.ndim == 0 for each in outputs.values()) or (
        len({len(each) for each in outputs.values()}) > 1
    ):
        raise _bad("the outputs have no rows in common: send 'inputs'")
    if len(values) == 1:
        return {"predictions": next(iter(values.values()))}
    rows = zip(*values.values(), strict=True)
    return {"predictions": [dict(zip(values, row, strict=True)) for row in rows]}


def _columns(instances: Any, specs: Specs) -> dict[str, list[Any]]:
    """Turns rows into one list for each input."""
    if not isinstance(instances, list) or not instances:
        raise _bad("Expecting 'instances' value to be a non-empty list")
    rows = [_named(row, specs) for row in instances]
    return {name: [row[name] for row in rows] for name in specs}


def _named(value: Any, specs: Specs) -> dict[str, Any]:
    """Returns values by the names of their inputs; a single one needs no name."""
    if not isinstance(value, dict) or (set(value) == {"b64"} and "b64" not in specs):
        if len(specs) != 1:
            raise _bad(f"Named inputs are expected: {', '.join(sorted(specs))}")
        return {next(iter(specs)): value}
    for name in value.keys() - specs.keys():
        raise _bad(f"JSON object: does not have named input: {name}")
    for name in specs.keys() - value.keys():
        raise _bad(f"Missing input: {name}")
    return value


def _array(name: str, value: Any, spec: tf.TensorSpec) -> np.ndarray:
    shape, inner = [], value
    while isinstance(inner, list):
        shape.append(len(inner))
        if not inner:
            break
        inner = inner[0]
    if not spec.shape.is_compatible_with(shape):
        raise _bad(f"{name}: shape {shape} is not compatible with {spec.shape}")
    leaves: list[Any] = []
    _collect(name, value, tuple(shape), spec.dtype, leaves)
    kind = object if spec.dtype == tf.string else spec.dtype.as_numpy_dtype
    array = np.empty(len(leaves), kind)
    try:
        array[:] = leaves
    except (OverflowError, ValueError) as error:
        raise _bad(f"{name}: a value is out of range") from error
    return array.reshape(shape)


def _collect(
    name: str, value: Any, shape: tuple[int, ...], dtype: tf.DType, leaves: list[Any]
) -> None:
    if not shape:
        leaves.append(_leaf(name, value, dtype))
        return
    if not isinstance(value, list) or len(value) != shape[0]:
        raise _bad(f"{name}: lists of one level must be of equal length")
    for each in value:
        _collect(name, each, shape[1:], dtype, leaves)


def _leaf(name: str, value: Any, dtype: tf.DType) -> Any:
    try:
        if dtype == tf.string and isinstance(value, str):
            return value.encode()
        if dtype == tf.string and isinstance(value, dict) and set(value) == {"b64"}:
            return base64.b64decode(value["b64"], validate=True)
    except (TypeError, ValueError) as error:
        raise _bad(f"{name}: a string is neither UTF-8 nor base64") from error
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if (
        (dtype == tf.bool and isinstance(value, bool))
        or (dtype.is_floating and is_number)
        or (dtype.is_integer and is_number and isinstance(value, int))
    ):
        return value
    raise _bad(f"{name}: a value is not of expected type: {dtype.name}")


def _jsonable(name: str, values: np.ndarray) -> Any:
    if values.dtype == object:
        if name.endswith("_bytes"):
            wrapped = [{"b64": base64.b64encode(each).decode()} for each in values.flat]
        else:
            wrapped = [each.decode("utf-8", "replace") for each in values.flat]
        texts = np.empty(values.size, object)
        texts[:] = wrapped
        return texts.reshape(values.shape).tolist()
    if values.dtype == np.float32:
        # The shortest digits that give the same float32; as a double, 0.2 has noise.
        return values.astype(str).astype(np.float64).tolist()
    return values.tolist()


def _bad(message: str) -> RequestError:
    return RequestError(400, message)
