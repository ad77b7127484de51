import re

import pytest

from tools.benchmark_lstm import LAYERS, Seconds, Sizes, make_pass, report, take_turns


def test_passes_take_turns_and_the_first_round_does_not_count() -> None:
    order = []
    passes = {name: lambda name=name: order.append(name) for name in LAYERS}
    costs = take_turns(passes, repeats=2)
    assert order == ["keras", "nmt"] * 3
    assert {name: len(cost) for name, cost in costs.items()} == {"keras": 2, "nmt": 2}


@pytest.mark.parametrize("name", LAYERS)
def test_a_pass_runs(name: str) -> None:
    make_pass(LAYERS[name], Sizes(units=2, layers=2, batch=3, time=4))()


def test_report_shows_medians_and_their_ratio() -> None:
    costs = {
        "keras": [Seconds(0.4, 0.9), Seconds(0.3, 0.6), Seconds(0.2, 0.6)],
        "nmt": [Seconds(0.1, 0.4), Seconds(0.2, 0.4), Seconds(0.3, 0.4)],
    }
    lines = report(costs).splitlines()
    assert re.split(r"\s{2,}", lines[1]) == [
        "keras",
        "300.0 (200.0-400.0)",
        "600.0 (600.0-900.0)",
    ]
    assert lines[3] == "keras / nmt: processor time 1.50, wall time 1.50"
