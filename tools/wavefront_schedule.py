"""When tasks run that wait for each other on several devices.

A device does one task at a time, in the order of the list. A result that another device
needs is there some time after the task has ended: copies go on beside the work, as the
copy engines of a GPU do, and do not wait for each other.
"""

from collections.abc import Sequence
from typing import NamedTuple


class Task(NamedTuple):
    """Work for one device.

    Attributes:
        name: Of this task alone.
        device: The number of the device.
        seconds: How long it takes.
        after: Names of earlier tasks that it waits for, with the seconds from their
            ends until their results have arrived.
    """

    name: str
    device: int
    seconds: float
    after: tuple[tuple[str, float], ...] = ()


class Span(NamedTuple):
    """A task with its time, in seconds from the beginning.

    Attributes:
        task: What ran.
        start: When it began.
        end: When it was done.
    """

    task: Task
    start: float
    end: float


def lay_out(tasks: Sequence[Task]) -> list[Span]:
    """Starts every task as soon as its device and what it waits for are ready.

        start = max(end of the device's task before, max_k (end_k + delay_k))

    Since the order on a device is given, a shorter task or delay never makes the whole
    take longer.

    Args:
        tasks: Each after those that it waits for.

    Raises:
        ValueError: a task waits for one that is not before it, or a name comes twice.

    Example:
        >>> spans = lay_out([Task("a", 0, 2.0), Task("b", 1, 1.0, (("a", 0.5),))])
        >>> spans[1].start, spans[1].end
        (2.5, 3.5)
    """
    ends: dict[str, float] = {}
    free: dict[int, float] = {}
    spans = []
    for task in tasks:
        missing = [name for name, _ in task.after if name not in ends]
        if missing or task.name in ends:
            raise ValueError(f"{task.name}: comes twice, or before {missing}")
        arrivals = [ends[name] + delay for name, delay in task.after]
        start = max([free.get(task.device, 0.0), *arrivals])
        ends[task.name] = free[task.device] = start + task.seconds
        spans.append(Span(task, start, start + task.seconds))
    return spans


def makespan(spans: Sequence[Span]) -> float:
    """Returns the seconds until the last task is done; 0 without tasks."""
    return max((span.end for span in spans), default=0.0)


def busy(spans: Sequence[Span]) -> dict[int, float]:
    """Returns the seconds that each device works."""
    seconds: dict[int, float] = {}
    for span in spans:
        device = span.task.device
        seconds[device] = seconds.get(device, 0.0) + span.task.seconds
    return seconds
