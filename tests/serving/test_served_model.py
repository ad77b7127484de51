"""What is loaded, and what is told about it."""

import pathlib

import numpy as np
import pytest
import tensorflow as tf

from nmt.errors import UserError
from nmt.serving.errors import RequestError
from nmt.serving.served_model import ServedModel, Signature, newest_version
from tests.serving import served


def test_the_newest_version_is_served(tmp_path: pathlib.Path) -> None:
    for name in ("9", "10", "11", "other"):
        (tmp_path / name).mkdir()
    for name in ("9", "10", "other"):
        (tmp_path / name / "saved_model.pb").touch()
    assert newest_version(tmp_path) == tmp_path / "10"
    assert newest_version(tmp_path / "9") == tmp_path / "9"
    for nothing in (tmp_path / "11", tmp_path / "nowhere"):
        with pytest.raises(UserError, match="no exported model"):
            newest_version(nothing)


def test_a_damaged_model_is_one_line(tmp_path: pathlib.Path) -> None:
    (tmp_path / "saved_model.pb").write_bytes(b"nonsense")
    with pytest.raises(UserError, match="cannot be loaded") as caught:
        ServedModel("x", str(tmp_path))
    assert "\n" not in str(caught.value)


def test_a_model_runs_and_tells_what_it_is(tmp_path: pathlib.Path) -> None:
    served.save(tmp_path, 7)
    model = ServedModel("shout", str(tmp_path))
    inputs = {"source": np.array([b"a", b"bc"], object)}
    found = model.run("serving_default", inputs)
    assert found["text"].tolist() == [b"A", b"BC"]
    with pytest.raises(RequestError, match="no such line") as caught:
        model.run("serving_default", {"source": np.array([b"fail"], object)})
    assert caught.value.status == 400
    with pytest.raises(RequestError, match='"x" not found'):
        model.signature("x")
    status = model.status()["model_version_status"][0]
    assert (status["version"], status["state"]) == ("7", "AVAILABLE")
    about = model.metadata()
    assert about["model_spec"]["version"] == "7"
    described = about["metadata"]["signature_def"]["signature_def"]["n_best"]
    log_probs = described["outputs"]["log_probs"]
    assert log_probs["dtype"] == "DT_FLOAT"
    sizes = [each["size"] for each in log_probs["tensor_shape"]["dim"]]
    assert sizes == ["-1", "3"]
    # Tables as wide as their longest row cannot be cut again.
    joins = {name: each.joins_rows for name, each in model.signatures.items()}
    assert joins == {"serving_default": True, "n_best": True, "align": False}


@pytest.mark.parametrize(
    ("inputs", "outputs", "joins"),
    [
        ([[None]], [[None]], True),
        ([[None], []], [[None, 3]], True),
        ([[]], [[None]], False),
        ([[None]], [[]], False),
        ([[2]], [[None]], False),
        ([[None]], [None], False),
        ([[None]], [[None, None]], False),
        ([[None, None]], [[None]], False),
    ],
)
def test_what_can_be_joined(
    inputs: list[list[int]], outputs: list[list[int]], joins: bool
) -> None:
    def named(shapes: list[list[int]]) -> dict[str, tf.TensorSpec]:
        return {str(i): tf.TensorSpec(shape) for i, shape in enumerate(shapes)}

    assert Signature(named(inputs), named(outputs), dict).joins_rows is joins


def test_the_manifest_tells_of_operations_to_register(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = served.save(tmp_path)
    called = []
    monkeypatch.setattr(
        "nmt.serving.served_model.register_operations", lambda: called.append(1)
    )
    for text, count in (("{", 0), ("[]", 0), ('{"needs_tensorflow_text": true}', 1)):
        (path / "manifest.json").write_text(text)
        ServedModel("shout", str(path))
        assert len(called) == count
