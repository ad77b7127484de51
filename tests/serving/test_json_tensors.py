"""The JSON of TensorFlow Serving's REST API, and what is refused."""

import json

import numpy as np
import pytest
import tensorflow as tf

from nmt.serving.errors import RequestError
from nmt.serving.json_tensors import PredictRequest, answer, read_request

ONE = {"source": tf.TensorSpec([None], tf.string)}
TWO = ONE | {"target": tf.TensorSpec([None], tf.string)}
SIZED = ONE | {"beam_size": tf.TensorSpec([], tf.int32)}


def read(request: object, specs: dict[str, tf.TensorSpec]) -> PredictRequest:
    body = request if isinstance(request, bytes) else json.dumps(request).encode()
    return read_request(body, lambda name: specs)


@pytest.mark.parametrize(
    "request_",
    [
        {"instances": ["a", "\u00e4\u2028"]},
        {"instances": [{"source": "a"}, {"source": "\u00e4\u2028"}]},
        {"instances": [{"b64": "YQ=="}, "\u00e4\u2028"]},
        {"inputs": ["a", "\u00e4\u2028"]},
        {"inputs": {"source": ["a", "\u00e4\u2028"]}},
    ],
)
def test_rows_and_columns(request_: dict[str, object]) -> None:
    found = read(request_, ONE)
    assert found.signature == "serving_default"
    assert found.is_rows == ("instances" in request_)
    assert found.inputs["source"].tolist() == [b"a", "\u00e4\u2028".encode()]


def test_no_rows_and_scalars() -> None:
    found = read({"inputs": {"source": [], "beam_size": 4}}, SIZED)
    assert found.inputs["source"].shape == (0,)
    assert found.inputs["beam_size"].dtype == np.int32
    assert found.inputs["beam_size"].item() == 4


@pytest.mark.parametrize(
    ("request_", "specs", "reason"),
    [
        (b"{", ONE, "Parse"),
        (b"\xff\xfe", ONE, "Parse"),
        (b"[" * 100_000, ONE, "Parse"),
        ([], ONE, "object"),
        ({}, ONE, "either"),
        ({"instances": ["a"], "inputs": ["a"]}, ONE, "either"),
        ({"instances": []}, ONE, "non-empty"),
        ({"instances": "a"}, ONE, "non-empty"),
        ({"instances": [3]}, ONE, "expected type"),
        ({"instances": [None]}, ONE, "expected type"),
        ({"instances": [["a"]]}, ONE, "shape"),
        ({"inputs": "a"}, ONE, "shape"),
        ({"instances": ["a", ["a"]]}, ONE, "expected type"),
        ({"instances": [{"b64": "*"}]}, ONE, "base64"),
        ({"instances": [{"b64": 3}]}, ONE, "base64"),
        ({"instances": ["\ud800"]}, ONE, "UTF-8"),
        ({"instances": ["a"]}, TWO, "Named inputs"),
        ({"instances": [{"source": "a"}]}, TWO, "Missing input: target"),
        ({"instances": [{"source": "a", "x": 1}]}, ONE, "named input: x"),
        ({"inputs": {"source": ["a"], "beam_size": 1.5}}, SIZED, "expected type"),
        ({"inputs": {"source": ["a"], "beam_size": True}}, SIZED, "expected type"),
        ({"inputs": {"source": ["a"], "beam_size": 1 << 40}}, SIZED, "range"),
        ({"signature_name": 3, "instances": ["a"]}, ONE, "signature_name"),
    ],
)
def test_what_is_refused(
    request_: object, specs: dict[str, tf.TensorSpec], reason: str
) -> None:
    with pytest.raises(RequestError, match=reason) as caught:
        read(request_, specs)
    assert caught.value.status == 400


def test_answers() -> None:
    texts = np.array([[b"\xc3\xa4", b"\xff"]], object)
    scores = np.array([0.2], np.float32)
    both = {"texts": texts, "scores": scores}
    assert answer(both, is_rows=True) == {
        "predictions": [{"texts": ["\u00e4", "\ufffd"], "scores": 0.2}]
    }
    assert answer({"scores": scores}, is_rows=False) == {"outputs": [0.2]}
    assert answer({"x_bytes": texts}, is_rows=True) == {
        "predictions": [[{"b64": "w6Q="}, {"b64": "/w=="}]]
    }
    nothing = {"texts": texts[:0], "infinite": np.zeros([0, 2], np.float32)}
    assert answer(nothing, is_rows=False) == {"outputs": {"texts": [], "infinite": []}}
    assert json.dumps(answer({"x": np.array([-np.inf], np.float32)}, True)) == (
        '{"predictions": [-Infinity]}'
    )


def test_outputs_without_common_rows_are_no_rows() -> None:
    for other in (np.zeros(2), np.zeros([])):
        with pytest.raises(RequestError, match="no rows in common"):
            answer({"a": np.zeros(3), "b": other}, is_rows=True)
