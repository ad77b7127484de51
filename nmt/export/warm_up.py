"""Requests that TensorFlow Serving runs before it takes those of clients."""

import pathlib
from collections.abc import Mapping
from typing import Any

import tensorflow as tf

from nmt.errors import UserError

WARM_UP = "tf_serving_warmup_requests"
# Rows of the requests: one, and several of unequal length.
_LINES = (("a",), ("a", "a b c", "a b c d e f g h"))


def messages() -> tuple[Any, Any]:
    """Returns TensorFlow Serving's modules `predict_pb2` and `prediction_log_pb2`.

    Raises:
        UserError: `tensorflow_serving` is not installed.
    """
    try:
        from tensorflow_serving.apis import predict_pb2, prediction_log_pb2
    except ImportError as error:
        raise UserError(
            'warm_up: tensorflow_serving is missing: pip install "nmt[warm_up]"'
        ) from error
    return predict_pb2, prediction_log_pb2


def write_warm_up(folder: pathlib.Path, signatures: Mapping[str, Any]) -> None:
    """Writes two requests for each signature: one line, and several.

    The first call of a signature is the slowest; with these, no client waits for it.

    Args:
        folder: `assets.extra` of an exported model.
        signatures: Its concrete functions, whose inputs are all lines of text.

    Raises:
        UserError: `tensorflow_serving` is not installed.
    """
    predict_pb2, prediction_log_pb2 = messages()
    with tf.io.TFRecordWriter(str(folder / WARM_UP)) as writer:
        for name, function in signatures.items():
            for lines in _LINES:
                request = predict_pb2.PredictRequest()
                request.model_spec.signature_name = name
                for each in function.structured_input_signature[0]:
                    tensor = tf.make_tensor_proto(list(lines), tf.string)
                    request.inputs[each.name].CopyFrom(tensor)
                log = prediction_log_pb2.PredictionLog(
                    predict_log=prediction_log_pb2.PredictLog(request=request)
                )
                writer.write(log.SerializeToString())
