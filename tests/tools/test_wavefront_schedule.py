"""Schedules that can be computed by hand."""

import pytest
from wavefront_schedule import Task, busy, lay_out, makespan


def test_two_layers_and_three_chunks() -> None:
    tasks = [
        Task(
            f"{layer}.{chunk}",
            layer,
            2.0,
            (
                *(((f"{layer}.{chunk - 1}", 0.0),) if chunk else ()),
                *(((f"{layer - 1}.{chunk}", 0.5),) if layer else ()),
            ),
        )
        for chunk in range(3)
        for layer in range(2)
    ]
    spans = lay_out(tasks)
    assert [span.start for span in spans] == [0.0, 2.5, 2.0, 4.5, 4.0, 6.5]
    assert makespan(spans) == 8.5
    assert busy(spans) == {0: 6.0, 1: 6.0}


def test_a_device_does_one_thing_at_a_time() -> None:
    spans = lay_out([Task("a", 0, 1.0), Task("b", 0, 1.0), Task("c", 1, 1.0)])
    assert [span.start for span in spans] == [0.0, 1.0, 0.0]


def test_nothing_takes_no_time() -> None:
    assert makespan([]) == 0.0
    assert busy([]) == {}


@pytest.mark.parametrize(
    "tasks",
    [
        [Task("a", 0, 1.0), Task("a", 0, 1.0)],
        [Task("a", 0, 1.0, (("b", 0.0),)), Task("b", 0, 1.0)],
    ],
)
def test_wrong_order_and_equal_names_are_refused(tasks: list[Task]) -> None:
    with pytest.raises(ValueError, match=r"^a: comes twice, or before"):
        lay_out(tasks)
