"""Sizes of models."""

import pytest

from nmt.config import ModelConfig
from nmt.errors import UserError
from nmt.models import build_model, parameter_count


@pytest.mark.parametrize(
    ("embedding_size", "hidden_size", "num_layers"), [(3, 4, 1), (5, 2, 3)]
)
def test_closed_form_counts_the_weights(
    embedding_size: int, hidden_size: int, num_layers: int
) -> None:
    config = ModelConfig(embedding_size, hidden_size, num_layers)
    model = build_model(config, 11, 7)
    assert model.count_params() == parameter_count(config, 11, 7)


def test_the_papers_model_has_384_million_weights_and_112_000_biases() -> None:
    config = ModelConfig(embedding_size=1000, hidden_size=1000, num_layers=4)
    assert parameter_count(config, 160_000, 80_000) == 384_000_000 + 112_000


@pytest.mark.slow
def test_the_papers_model_can_be_built() -> None:
    config = ModelConfig(embedding_size=1000, hidden_size=1000, num_layers=4)
    assert build_model(config, 160_000, 80_000).count_params() == 384_112_000


def test_an_unknown_initializer_is_refused() -> None:
    with pytest.raises(UserError, match="initializer='zeros'"):
        build_model(ModelConfig(initializer="zeros"), 5, 5)
