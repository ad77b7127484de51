"""Times of the parts of an update."""

import dataclasses
import json
import pathlib

import pytest
from stage_times import Machine, Sizes, StageTimes, computed_times, read_times


def test_sizes_of_the_paper() -> None:
    sizes = Sizes()
    # The 64M of "pure recurrent connections", and the softmax of 80,000 words.
    assert 2 * sizes.layers * sizes.layer_weights == 64_000_000
    assert sizes.softmax_weights == 80_000_000
    assert sizes.words == 128 * 54
    assert sizes.activations == 512_000


def test_a_product_is_limited_by_arithmetic_or_by_memory() -> None:
    sizes = Sizes(batch=3, width=2, vocabulary=10)
    times = computed_times(sizes, Machine(flops=2.0, memory=1e12, launch=0.5))
    # 8 x 2 x 2 weights, 3 rows, 2 operations, 2 of them a second.
    assert times.layer_forward == 96.0
    assert times.layer_backward == 192.0
    assert times.softmax_forward == 60.0
    assert times.launch == 0.5
    times = computed_times(sizes, Machine(flops=1e12, memory=4.0))
    assert times.layer_forward == 32.0
    assert times.layer_update == 2 * 32 * 16 / 4
    assert times.softmax_update == 20 * 16 / 4


def test_measured_times_come_back(tmp_path: pathlib.Path) -> None:
    times = StageTimes(1.0, 2.0, 3.0, 4.0, launch=0.25)
    path = tmp_path / "times.json"
    path.write_text(json.dumps(dataclasses.asdict(times)))
    assert read_times(str(path)) == times


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "[1]",
        '{"layer": 1}',
        '{"layer_forward": 1}',
        '{"layer_forward": -1, "layer_backward": 1, "softmax_forward": 1, '
        '"softmax_backward": 1}',
        '{"layer_forward": true, "layer_backward": 1, "softmax_forward": 1, '
        '"softmax_backward": 1}',
    ],
)
def test_other_files_are_one_line(tmp_path: pathlib.Path, content: str) -> None:
    path = tmp_path / "times.json"
    path.write_text(content)
    with pytest.raises(ValueError, match=r"times\.json: not the times") as error:
        read_times(str(path))
    assert "\n" not in str(error.value)
