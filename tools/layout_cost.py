"""What an update costs when layers and softmax lie on several devices.

The order of the work is that of `nmt.layers.wavefront`: chunk by chunk and layer by
layer, encoder and decoder forward, softmax, decoder and encoder backward.
"""

import dataclasses
from typing import NamedTuple

from stage_times import FLOAT, Sizes, StageTimes
from wavefront_schedule import Span, Task, busy, lay_out, makespan


class Link(NamedTuple):
    """A way between two devices, or between two hosts.

    Attributes:
        bandwidth: Bytes a second.
        latency: Seconds that every message takes on top.
    """

    bandwidth: float
    latency: float

    def seconds(self, size: float) -> float:
        """Returns how long a message of so many bytes takes."""
        return self.latency + size / self.bandwidth


FREE = Link(float("inf"), 0.0)


class Layout(NamedTuple):
    """Which device has what, within a replica.

    Attributes:
        layers: The device of each layer of encoder and decoder.
        shards: The device of each slice of the softmax.
        chunk_length: Steps after which a layer hands on; 0: whole sequences.
        softmax_in_chunks: Whether the softmax works on chunks as they come. The code
            does not: its softmax begins when the decoder has ended.
        replicas: Copies of all this, with a batch each.
        hosts: Machines among which the replicas are shared out evenly.
    """

    layers: tuple[int, ...]
    shards: tuple[int, ...]
    chunk_length: int = 0
    softmax_in_chunks: bool = False
    replicas: int = 1
    hosts: int = 1

    @property
    def devices(self) -> int:
        """Devices of all replicas."""
        return self.replicas * len({*self.layers, *self.shards})


def usual_layout(
    devices: int, layers: int, chunk_length: int, softmax_in_chunks: bool = False
) -> Layout:
    """Returns the paper's layout for another number of devices.

    Half of them have layers, as far as there are layers, the others a slice of the
    softmax; one device has everything.

    Example:
        >>> usual_layout(4, 4, 10)[:2]
        ((0, 0, 1, 1), (2, 3))
    """
    if devices == 1:
        return Layout((0,) * layers, (0,))
    stages = min(devices // 2, layers)
    places = tuple(layer * stages // layers for layer in range(layers))
    return Layout(
        places, tuple(range(stages, devices)), chunk_length, softmax_in_chunks
    )


@dataclasses.dataclass(frozen=True)
class Cost:
    """Seconds of one update, and where they go on the average device.

    Attributes:
        total: From the first task to the last new weight.
        compute: Work.
        transfers: By how much it would be shorter with links that take no time.
        all_reduce: Sums of gradients over replicas; nothing else goes on meanwhile.
        waiting: The rest: a device has nothing to do yet, or no more.
        words_per_second: Words of both languages, by all replicas.
        spans: What a replica does, without the all-reduce.
    """

    total: float
    compute: float
    transfers: float
    all_reduce: float
    waiting: float
    words_per_second: float
    spans: tuple[Span, ...]


def cost(
    layout: Layout, sizes: Sizes, times: StageTimes, link: Link, network: Link
) -> Cost:
    """Lays out an update and adds up.

    Args:
        layout: Which device has what.
        sizes: Of the batch of a replica.
        times: Of the parts on one device.
        link: Between two devices of a host.
        network: Between two hosts; all devices of a host share it.
    """
    spans = lay_out(update_tasks(layout, sizes, times, link))
    work, devices = busy(spans), len({*layout.layers, *layout.shards})
    length = makespan(spans)
    reduced = all_reduce_seconds(layout, sizes, link, network)
    unhindered = makespan(lay_out(update_tasks(layout, sizes, times, FREE)))
    total, compute = length + reduced, sum(work.values()) / devices
    return Cost(
        total=total,
        compute=compute,
        transfers=length - unhindered,
        all_reduce=reduced,
        waiting=unhindered - compute,
        words_per_second=layout.replicas * sizes.words / total,
        spans=tuple(spans),
    )


def all_reduce_seconds(
    layout: Layout, sizes: Sizes, link: Link, network: Link
) -> float:
    """Returns the time to sum the gradients of all replicas.

    A ring of n moves 2 (n - 1) / n of the gradients in 2 (n - 1) messages; of the
    embeddings, whose gradients are rows, each of n sends its rows to n - 1 others.
    First the replicas of a host, each device with its peers; then the hosts.
    """
    weights: dict[int, float] = {}
    for device in layout.layers:
        weights[device] = weights.get(device, 0) + 2 * sizes.layer_weights
    for device in layout.shards:
        share = sizes.softmax_weights / len(layout.shards)
        weights[device] = weights.get(device, 0) + share
    rows = float(FLOAT * sizes.words * sizes.width)
    here = layout.replicas // layout.hosts
    heaviest, whole = FLOAT * max(weights.values()), FLOAT * sum(weights.values())
    within = _ring(heaviest, rows / len(layout.shards), here, link)
    return within + _ring(whole, rows * here, layout.hosts, network)


def _ring(dense: float, rows: float, count: int, link: Link) -> float:
    moved = 2 * (count - 1) / count * dense + (count - 1) * rows
    return moved / link.bandwidth + 2 * (count - 1) * link.latency


def update_tasks(
    layout: Layout, sizes: Sizes, times: StageTimes, link: Link
) -> list[Task]:
    """Returns the tasks of one update of one replica, in the order of the loops."""
    return _Update(layout, sizes, times, link).tasks()


class _Update:
    """Makes the tasks; names are `part.layer.chunk`, of a slice `part.slice.chunk`."""

    def __init__(
        self, layout: Layout, sizes: Sizes, times: StageTimes, link: Link
    ) -> None:
        self._layout, self._sizes, self._times = layout, sizes, times
        self._link = link
        self._made: list[Task] = []
        self._on: dict[str, int] = {}

    def tasks(self) -> list[Task]:
        """Returns all tasks."""
        source = self._cut(self._sizes.source_words + 1)
        target = self._cut(self._sizes.target_words + 1)
        self._forward("encoder", source, {})
        ends = {
            layer: f"encoder.{layer}.{len(source) - 1}"
            for layer in range(self._sizes.layers)
        }
        self._forward("decoder", target, ends)
        after_softmax = self._softmax(target)
        self._backward("decoder", target, after_softmax, {})
        ends = {layer: f"d_decoder.{layer}.0" for layer in range(self._sizes.layers)}
        self._backward("encoder", source, {}, ends)
        self._update()
        return self._made

    def _cut(self, steps: int) -> list[int]:
        length = self._layout.chunk_length or steps
        return [min(length, steps - begin) for begin in range(0, steps, length)]

    def _add(
        self, name: str, device: int, seconds: float, after: dict[str, float]
    ) -> None:
        """Adds a task; `after` has the bytes that it gets from each other one."""
        waits = []
        for other, size in after.items():
            there = self._on[other] == device
            waits.append((other, 0.0 if there else self._link.seconds(size)))
        self._on[name] = device
        seconds += self._times.launch
        self._made.append(Task(name, device, seconds, tuple(waits)))

    def _forward(self, part: str, chunks: list[int], first: dict[int, str]) -> None:
        for c, steps in enumerate(chunks):
            for layer, device in enumerate(self._layout.layers):
                after = {first[layer]: 0.0} if first and not c else {}
                if c:
                    after[f"{part}.{layer}.{c - 1}"] = 0.0
                if layer:
                    size = float(steps * self._sizes.activations)
                    after[f"{part}.{layer - 1}.{c}"] = size
                seconds = steps * self._times.layer_forward
                self._add(f"{part}.{layer}.{c}", device, seconds, after)

    def _backward(
        self,
        part: str,
        chunks: list[int],
        above: dict[int, dict[str, float]],
        last: dict[int, str],
    ) -> None:
        top = self._sizes.layers - 1
        for c, steps in reversed(list(enumerate(chunks))):
            for layer in range(top, -1, -1):
                ends = last and c == len(chunks) - 1
                after = {last[layer]: 0.0} if ends else {}
                if c < len(chunks) - 1:
                    after[f"d_{part}.{layer}.{c + 1}"] = 0.0
                if layer < top:
                    size = float(steps * self._sizes.activations)
                    after[f"d_{part}.{layer + 1}.{c}"] = size
                else:
                    after |= above.get(c, {})
                device = self._layout.layers[layer]
                seconds = steps * self._times.layer_backward
                self._add(f"d_{part}.{layer}.{c}", device, seconds, after)

    def _softmax(self, chunks: list[int]) -> dict[int, dict[str, float]]:
        """Adds the softmax; returns what the top layer gets for each chunk."""
        parts, top = [(sum(chunks), len(chunks) - 1)], self._sizes.layers - 1
        if self._layout.softmax_in_chunks:
            parts = [(steps, c) for c, steps in enumerate(chunks)]
        shards, found = list(enumerate(self._layout.shards)), {}
        for p, (steps, chunk) in enumerate(parts):
            size = float(steps * self._sizes.activations)
            for shard, device in shards:
                seconds = steps * self._times.softmax_forward / len(shards)
                after = {f"decoder.{top}.{chunk}": size}
                self._add(f"softmax.{shard}.{p}", device, seconds, after)
            # Three numbers a token from each slice to each: the normaliser.
            figures = 3.0 * FLOAT * steps * self._sizes.batch
            for shard, device in shards:
                seconds = steps * self._times.softmax_backward / len(shards)
                after = {f"softmax.{other}.{p}": figures for other, _ in shards}
                self._add(f"d_softmax.{shard}.{p}", device, seconds, after)
            found[chunk] = {f"d_softmax.{shard}.{p}": size for shard, _ in shards}
        return found

    def _update(self) -> None:
        """Adds the new weights, for which all gradients must be there: their norm."""
        last: dict[int, str] = {task.device: task.name for task in self._made}
        gradients = dict.fromkeys(last.values(), float(FLOAT))
        for layer, device in enumerate(self._layout.layers):
            seconds = self._times.layer_update
            self._add(f"update.{layer}.0", device, seconds, gradients)
        for shard, device in enumerate(self._layout.shards):
            seconds = self._times.softmax_update / len(self._layout.shards)
            self._add(f"update_softmax.{shard}.0", device, seconds, gradients)
