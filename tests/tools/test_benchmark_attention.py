import pathlib
import re
import sys

import numpy as np
import pytest

from tools import benchmark_attention
from tools.benchmark_attention import (
    Cost,
    Sizes,
    make_batch,
    make_model,
    pytorch,
    report,
    tensorflow_updates,
)

TINY = Sizes(units=4, vocabulary=9, batch=5, time=6)

# Answers as the PyTorch process does: with the loss it finds in the file.
STAND_IN = r"""
import sys
import numpy as np
arrays = np.load(sys.argv[1])
for line in sys.stdin:
    assert line == "update\n"
    print(arrays["inputs"].sum(), 0.5, len(arrays), flush=True)
"""


def test_a_fifth_of_the_positions_is_padding() -> None:
    source, target = make_batch(Sizes())
    for ids in (source, target):
        assert ids.shape == (64, 15)
        assert np.mean(ids == 0) == pytest.approx(0.22, abs=0.02)
        # At the end only.
        assert np.all(np.diff((ids == 0).astype(int), axis=1) >= 0)


def test_updates_lower_the_loss() -> None:
    update = tensorflow_updates(make_model(TINY), *make_batch(TINY))
    losses = [update().result for _ in range(4)]
    assert losses == sorted(losses, reverse=True)
    assert losses[0] > losses[-1]


def test_the_other_process_gets_batch_and_weights(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in = tmp_path / "stand_in.py"
    stand_in.write_text(STAND_IN)
    monkeypatch.setattr(benchmark_attention, "PYTORCH", stand_in)
    model, (source, target) = make_model(TINY), make_batch(TINY)
    with pytorch(sys.executable, model, source, target, threads=1) as ask:
        first, second = ask("update"), ask("update")
    assert first == second
    # Each row of the inputs begins with `<s>`, id 2, and lacks the last target.
    assert first.result == target[:, :-1].sum() + 2 * len(target)
    assert first.wall == len(model.weights) + 3


def test_report_shows_the_ratio_of_medians() -> None:
    costs = {
        "PyTorch": [
            Cost(1.0, 0.3, 0.6),
            Cost(1.0, 0.2, 0.9),
            Cost(1.0, 0.4, 0.6),
        ],
        "nmt": [Cost(1.0, 0.2, 0.4)],
    }
    lines = report(costs).splitlines()
    assert re.split(r"\s{2,}", lines[1]) == [
        "PyTorch",
        "300 (200-400)",
        "600 (600-900)",
    ]
    assert lines[-1] == "PyTorch / nmt: processor time 1.50, wall time 1.50"
