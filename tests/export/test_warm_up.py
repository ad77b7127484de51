"""Warm-up requests are such as the model itself answers."""

import pathlib
import sys

import pytest
import tensorflow as tf

from nmt.errors import UserError
from nmt.export import ExportRequest
from nmt.export.export import export_model
from nmt.export.options import ServingOptions
from nmt.export.warm_up import WARM_UP
from tests import tiny_models


def test_every_signature_is_asked(tmp_path: pathlib.Path) -> None:
    apis = pytest.importorskip(
        "tensorflow_serving.apis.prediction_log_pb2",
        reason="the extra `warm_up` is not installed",
    )
    loaded = tiny_models.random_model(6, cell="gru", attention="bahdanau")
    run = tiny_models.write_run_folder(loaded, tmp_path / "run")
    request = ExportRequest(
        (str(run.path),),
        str(tmp_path / "exported"),
        warm_up=True,
        options=ServingOptions(beam_size=2),
    )
    folder = export_model(request)
    model = tf.saved_model.load(str(folder))
    asked = []
    for record in tf.data.TFRecordDataset(str(folder / "assets.extra" / WARM_UP)):
        log = apis.PredictionLog.FromString(record.numpy())
        found = log.predict_log.request
        inputs = {
            name: tf.constant(tf.make_ndarray(value))
            for name, value in found.inputs.items()
        }
        name = found.model_spec.signature_name
        answer = model.signatures[name](**inputs)
        asked.append((name, len(inputs["source"])))
        assert all(len(value) == asked[-1][1] for value in answer.values())
    assert sorted(asked) == sorted(
        (name, count) for name in model.signatures for count in (1, 3)
    )


def test_a_missing_package_is_told_before_a_model_is_loaded(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tensorflow_serving", None)
    monkeypatch.setitem(sys.modules, "tensorflow_serving.apis", None)
    request = ExportRequest(("nowhere",), str(tmp_path / "exported"), warm_up=True)
    with pytest.raises(UserError, match="tensorflow_serving is missing"):
        export_model(request)
