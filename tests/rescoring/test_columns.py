"""What hypotheses can be ranked by."""

import numpy as np
import pytest

from nmt.errors import UserError
from nmt.rescoring.columns import Columns, feature_names
from tests.rescoring.lists import a_list

LIST = a_list(
    ("a b c", "LM= -1 TM= -2 -3 lstm= -7", -4.5),
    ("", "TM= -5 -6 lstm= -8 LM= -4", -5),
    number=3,
)


def test_every_column_has_its_numbers() -> None:
    columns = Columns(LIST, {"gru": np.array([-0.5, -0.25])})
    expected = {
        "total": [-4.5, -5],
        "gru": [-0.5, -0.25],
        "words": [3, 0],
        "LM": [-1, -4],
        "TM.0": [-2, -5],
        "TM.1": [-3, -6],
        "lstm": [-7, -8],
    }
    assert columns.names == list(expected)
    for name, numbers in expected.items():
        assert columns[name].dtype == np.float64
        assert columns[name].tolist() == numbers


def test_new_scores_come_before_features_of_their_name() -> None:
    columns = Columns(LIST, {"lstm": np.array([-1.0, -2.0])})
    assert columns["lstm"].tolist() == [-1, -2]
    assert columns.names.count("lstm") == 1


@pytest.mark.parametrize("name", ["other", "TM", "TM.2", "odd"])
def test_missing_numbers_are_named(name: str) -> None:
    ragged = a_list(("a", "LM= -1 TM= -2 -3 odd= 1", -1), ("b", "LM= nan odd= inf", -2))
    with pytest.raises(UserError, match=rf"of id 0 has no finite '{name}'; .* total"):
        Columns(ragged, {})[name]


@pytest.mark.parametrize(
    ("run_dirs", "taken", "names"),
    [
        (["runs/a"], [], ("a",)),
        (["runs/a/"], ["a", "a_2"], ("a_3",)),
        (["a", "b"], [], ("a", "b", "ensemble")),
        (["x/a", "y/a"], ["ensemble"], ("a", "a_2", "ensemble_2")),
        (["my best run"], [], ("my_best_run",)),
        (["total"], [], ("total_2",)),
        (["/"], [], ("model",)),
        (["a/../b"], [], ("b",)),
    ],
)
def test_names_are_distinct(
    run_dirs: list[str], taken: list[str], names: tuple[str, ...]
) -> None:
    assert feature_names(run_dirs, taken) == names
