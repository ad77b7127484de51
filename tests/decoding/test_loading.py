"""The models that are named become an ensemble, or are refused."""

import dataclasses
import pathlib

import numpy as np
import pytest

from nmt.decoding.loading import check_choice, load_ensemble
from nmt.decoding.request import DecodingRequest
from nmt.errors import UserError
from tests import tiny_models


def test_ensemble_has_the_models_in_their_order(tmp_path: pathlib.Path) -> None:
    models = [tiny_models.random_model(seed) for seed in (4, 5)]
    folders = [
        tiny_models.write_run_folder(model, tmp_path / str(number))
        for number, model in enumerate(models)
    ]
    request = DecodingRequest(
        tuple(str(folder.path) for folder in folders),
        weights=(1.0, 3.0),
        combination="log_linear",
    )
    check_choice(request)
    loaded = load_ensemble(request).members
    for member, model in zip(loaded, models, strict=True):
        pairs = zip(member.model.get_weights(), model.model.get_weights(), strict=True)
        for found, expected in pairs:
            np.testing.assert_array_equal(found, expected)
    with pytest.raises(UserError, match="combination 'vote'"):
        load_ensemble(dataclasses.replace(request, combination="vote"))


@pytest.mark.parametrize(
    ("run_dirs", "weights", "message"),
    [
        (("a", ""), (), "run_dir: a name is empty"),
        (("a",), (1.0, 2.0), "got 2 for 1 models"),
        (("a", "b"), (1.0, -2.0), "-2.0 is not a positive number"),
    ],
)
def test_what_makes_no_ensemble(
    run_dirs: tuple[str, ...], weights: tuple[float, ...], message: str
) -> None:
    with pytest.raises(UserError, match=message):
        check_choice(DecodingRequest(run_dirs, weights=weights))
