"""The benchmark of the wavefront, at toy sizes."""

import pathlib
import subprocess
import sys

import pytest

from tools import benchmark_wavefront
from tools.benchmark_wavefront import Sizes, Way, make_pass, report, ways

SIZES = Sizes(units=4, layers=2, batch=2, time=5)


def test_one_core_is_what_others_are_compared_with() -> None:
    one, inside, chunks, _ = ways(SIZES, [2, 5], threads=3)
    assert (one.devices, one.inside, one.beside, one.cores) == (1, 1, 1, 1)
    assert (inside.inside, inside.beside, inside.chunk_length) == (3, 1, 0)
    assert chunks == Way("chunks of 2", 2, 2, 1, 3, 0)
    lines = report({"one core": [2.0, 2.0], "chunks of 2": [1.0, 1.5, 0.5]}).split("\n")
    assert lines[1].split() == ["one", "core", "2000.0", "(2000.0-2000.0)", "1.00"]
    assert lines[2].split()[-3:] == ["1000.0", "(500.0-1500.0)", "0.50"]


def test_a_pass_in_chunks_runs() -> None:
    make_pass(Way("chunks of 2", 2, 2, 1, 2, 0), SIZES)()


@pytest.mark.slow
def test_processes_take_turns() -> None:
    program = pathlib.Path(benchmark_wavefront.__file__)
    sizes = [f"--{name}={value}" for name, value in SIZES._asdict().items()]
    done = subprocess.run(
        [sys.executable, str(program), *sizes, "--chunks=2", "--repeats=2"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert [line.split()[-1] for line in done.stdout.splitlines()[2:3]] == ["1.00"]
    assert "chunks of 2" in done.stdout
