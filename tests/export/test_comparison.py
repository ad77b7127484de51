"""What is said of a compression: scores of both, and how much is equal."""

import pathlib

import pytest

from nmt.decoding import Ensemble
from nmt.errors import UserError
from nmt.export import ServingModule, ServingOptions
from nmt.export.comparison import compare
from tests.tiny_models import random_model


def test_scores_are_of_the_text_with_each(tmp_path: pathlib.Path) -> None:
    loaded = random_model(embedding_size=32, hidden_size=32)
    options = ServingOptions(beam_size=1).resolved(loaded.config)
    ensemble = Ensemble([loaded])
    module = ServingModule(ensemble, options, "float16")
    source, reference = tmp_path / "source", tmp_path / "reference"
    lines = ["w1 w2", "", "w3 w4 w5", "w7 w8 w9 w10"]
    source.write_text("".join(f"{line}\n" for line in lines))
    texts = [each.decode() for each in module.translate(lines)["text"].numpy()]
    # What the compressed model says is right.
    reference.write_text("".join(f"{text}\n" for text in texts))
    loaded.config.evaluation.metric = "word_error_rate"
    # The other one says it less often.
    bias = loaded.model.decoder.projection.bias
    bias.assign(bias[::-1])
    found = compare(ensemble, options, module, str(source), str(reference))
    assert found["metric"] == "word_error_rate"
    assert found["compressed"] == 0.0
    assert found["float32"] == pytest.approx(100 * (1 - found["equal"]))
    assert 0.25 <= found["equal"] < 1.0
    reference.write_text("a\n")
    with pytest.raises(UserError):
        compare(ensemble, options, module, str(source), str(reference))
