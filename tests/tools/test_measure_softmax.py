import pathlib
import subprocess
import sys

import pytest

from tools import measure_softmax
from tools.measure_softmax import Cost, check, measure, report


def test_forms_are_measured_in_processes_of_their_own() -> None:
    sizes = ["--vocabulary=4001", "--width=64", "--tokens=300"]
    done = subprocess.run(
        [sys.executable, measure_softmax.__file__, *sizes, "--steps=1"],
        check=True,
        capture_output=True,
        text=True,
    )
    rows = [line.split() for line in done.stdout.splitlines()[2:]]
    assert [row[0] for row in rows] == list(measure_softmax.FORMS)
    assert rows[0][3] == rows[0][5] == "1.00"


def test_a_step_needs_memory() -> None:
    cost = measure("recomputed", measure_softmax.Sizes(2000, 8, 500, 3), steps=1)
    # The logits of one slice alone are 500 x 667 x 4 bytes.
    assert cost.peak > 1_000_000
    assert cost.seconds > 0
    assert cost.loss == pytest.approx(7.6, abs=0.2)


def test_a_report_has_shares_of_the_dense_form() -> None:
    mebibyte = 2**20
    costs = {
        "dense": Cost(900 * mebibyte, 1000 * mebibyte, 2.0, 11.0),
        "recomputed": Cost(900 * mebibyte, 600 * mebibyte, 2.5, 11.0),
    }
    last = report(costs).splitlines()[-1].split()
    assert last == ["recomputed", "900", "600", "0.60", "2.50", "1.25"]


def test_other_losses_are_no_comparison() -> None:
    one, other = Cost(1, 1, 1.0, 11.0), Cost(1, 1, 1.0, 11.1)
    check({"dense": one, "recomputed": one})
    with pytest.raises(SystemExit, match="losses differ"):
        check({"dense": one, "recomputed": other})


def test_what_the_system_does_not_tell_is_named() -> None:
    assert measure_softmax.resident("VmHWM") >= measure_softmax.resident("VmRSS") // 2
    with pytest.raises(OSError, match="no VmNothing"):
        measure_softmax.resident("VmNothing")
    assert pathlib.Path("/proc/self/clear_refs").exists()
