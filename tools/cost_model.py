"""What the LSTM paper's layout should gain on other numbers of devices and hosts.

The rate of a device is the one at which a single device makes the paper's 1,700 words
a second, or --flops; with --times the parts of an update take as long as was measured.
All other speeds are predictions. docs/cost_model.md says what is assumed.

    python tools/cost_model.py --plot=docs/cost_model.png
"""

import argparse
import dataclasses
import importlib
import sys
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from layout_cost import Cost, Layout, Link, cost, usual_layout
from stage_times import Machine, Sizes, StageTimes, computed_times, read_times

PAPER_ONE, PAPER_EIGHT = 1_700.0, 6_300.0
COUNTS = (1, 2, 4, 8, 16)
HOSTS = (1, 2, 4, 8)
CHUNKS = (1, 2, 5, 10, 15, 0)
PARTS = ("compute", "waiting", "transfers", "all_reduce")
_COLORS = {
    "encoder": "#4477aa",
    "decoder": "#66ccee",
    "softmax": "#ccbb44",
    "d_encoder": "#aa3377",
    "d_decoder": "#ee6677",
    "d_softmax": "#999933",
    "update": "#555555",
}


class Setting(NamedTuple):
    """What all layouts are computed with.

    Attributes:
        sizes: Of the model and of the batch of a replica.
        times: Of the parts on one device.
        link: Between devices.
        network: Between hosts.
    """

    sizes: Sizes
    times: StageTimes
    link: Link
    network: Link

    def cost(self, layout: Layout) -> Cost:
        """Returns what an update costs in this layout."""
        return cost(layout, *self)

    @property
    def one_device(self) -> Cost:
        """The cost on one device, whole sequences."""
        return self.cost(usual_layout(1, self.sizes.layers, 0))


def fitted_flops(sizes: Sizes, memory: float, launch: float, speed: float) -> float:
    """Returns the rate at which one device makes so many words a second.

    Raises:
        ValueError: no rate does: memory and launches alone take longer.
    """
    link = Link(1.0, 0.0)

    def words_per_second(flops: float) -> float:
        times = computed_times(sizes, Machine(flops, memory, launch))
        return Setting(sizes, times, link, link).one_device.words_per_second

    low, high = 1.0, 1e18
    if words_per_second(high) < speed:
        raise ValueError(f"no rate gives {speed:,.0f} words/s on one device")
    while high / low > 1 + 1e-9:
        middle = (low * high) ** 0.5
        low, high = (
            (middle, high) if words_per_second(middle) < speed else (low, middle)
        )
    return high


def rows(setting: Setting, chunk: int) -> Iterator[tuple[str, Layout]]:
    """Yields the layouts of the tables with what they are called."""
    layers = setting.sizes.layers
    for count in COUNTS:
        yield _name(count), usual_layout(count, layers, chunk)
    eight = usual_layout(8, layers, chunk)
    for length in CHUNKS:
        name = f"8, chunks of {length}" if length else "8, whole sequences"
        yield name, eight._replace(chunk_length=length)
    for length in sorted({1, chunk}):
        yield (
            f"8, softmax too in chunks of {length}",
            eight._replace(chunk_length=length, softmax_in_chunks=True),
        )
    yield "16 as 2 replicas", eight._replace(replicas=2)
    for hosts in HOSTS[1:]:
        name = f"{hosts} hosts of 8"
        yield name, eight._replace(replicas=hosts, hosts=hosts)


def _name(count: int) -> str:
    return "1 device" if count == 1 else f"{count} devices"


def table(setting: Setting, chunk: int) -> str:
    """Returns all layouts as a Markdown table."""
    base = setting.one_device.words_per_second
    lines = [
        "| layout | words/s | speed-up | compute | waiting | transfers | all-reduce |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for name, layout in rows(setting, chunk):
        found = setting.cost(layout)
        shares = [f"{getattr(found, part) / found.total:.1%}" for part in PARTS]
        speed = found.words_per_second
        cells = [name, f"{speed:,.0f}", f"{speed / base:.2f}", *shares]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def draw(path: str, setting: Setting, chunk: int) -> None:
    """Draws the schedule, the speed-ups and where the time goes.

    Raises:
        ValueError: matplotlib is missing.
    """
    try:
        figures = importlib.import_module("matplotlib.figure")
    except ImportError as error:
        raise ValueError(
            f"--plot: matplotlib is not there ({error}); install the extra `plots`"
        ) from error
    figure = figures.Figure(figsize=(9.0, 8.0), layout="constrained")
    grid = figure.add_gridspec(2, 2, height_ratios=(1.0, 0.9))
    _draw_schedule(figure.add_subplot(grid[0, :]), setting, chunk)
    _draw_speed_ups(figure.add_subplot(grid[1, 0]), setting, chunk)
    _draw_shares(figure.add_subplot(grid[1, 1]), setting, chunk)
    figure.savefig(path, dpi=100)


def _draw_schedule(axes: Any, setting: Setting, chunk: int) -> None:
    layout = usual_layout(8, setting.sizes.layers, chunk)
    labelled: set[str] = set()
    for task, start, end in setting.cost(layout).spans:
        part = task.name.split(".")[0].replace("update_softmax", "update")
        axes.barh(
            task.device,
            1e3 * (end - start),
            left=1e3 * start,
            color=_COLORS[part],
            edgecolor="white",
            linewidth=0.4,
            label=None if part in labelled else part.replace("d_", "backward: "),
        )
        labelled.add(part)
    names = [f"layer {layer + 1}" for layer in range(len(layout.layers))]
    names += [f"softmax {shard + 1}" for shard in range(len(layout.shards))]
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set_xlabel(f"milliseconds of one update; 8 devices, chunks of {chunk} steps")
    axes.legend(ncols=4, loc="upper center", bbox_to_anchor=(0.5, 1.22), fontsize=8)


def _draw_speed_ups(axes: Any, setting: Setting, chunk: int) -> None:
    base = setting.one_device.words_per_second
    for chunked, style in ((False, "o-"), (True, "s--")):
        speeds = [
            setting.cost(
                usual_layout(count, setting.sizes.layers, chunk, chunked)
            ).words_per_second
            for count in COUNTS
        ]
        name = "softmax in chunks too" if chunked else "softmax after the decoder"
        axes.plot(COUNTS, [speed / base for speed in speeds], style, label=name)
    axes.plot(COUNTS, COUNTS, color="grey", linewidth=0.8, label="ideal")
    axes.plot(8, PAPER_EIGHT / PAPER_ONE, "k*", markersize=12, label="the paper, 3.7")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_ticks(COUNTS, [str(count) for count in COUNTS])
    axes.set_xlabel("devices of one replica")
    axes.set_ylabel("speed-up over one device")
    axes.legend(fontsize=8)


def _draw_shares(axes: Any, setting: Setting, chunk: int) -> None:
    layouts = dict(rows(setting, chunk))
    wanted = [_name(count) for count in COUNTS]
    wanted += [f"{hosts} hosts of 8" for hosts in HOSTS[1:]]
    costs = [setting.cost(layouts[name]) for name in wanted]
    left = [0.0] * len(wanted)
    for part in PARTS:
        shares = [100 * getattr(each, part) / each.total for each in costs]
        axes.barh(wanted, shares, left=left, label=part.replace("_", "-"))
        left = [a + b for a, b in zip(left, shares, strict=True)]
    axes.invert_yaxis()
    axes.set_xlim(0, 100)
    axes.set_xlabel("% of an update, mean of the devices")
    axes.legend(ncols=4, loc="upper center", bbox_to_anchor=(0.4, 1.13), fontsize=7)


def _flags(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    number: dict[str, Any] = {"type": float, "metavar": "X"}
    parser.add_argument("--flops", help="operations a second of a device", **number)
    parser.add_argument("--times", help="JSON of measured seconds, see StageTimes")
    parser.add_argument("--memory", default=288e9, help="bytes/s", **number)
    parser.add_argument("--launch", default=5e-5, help="seconds a task", **number)
    parser.add_argument("--bandwidth", default=10e9, help="of a link, B/s", **number)
    parser.add_argument("--latency", default=2e-5, help="of a link, s", **number)
    parser.add_argument("--network", default=1.25e9, help="of hosts, B/s", **number)
    parser.add_argument("--network_latency", default=5e-5, help="s", **number)
    parser.add_argument("--chunk", type=int, default=5, help="steps")
    for name, size in Sizes()._asdict().items():
        parser.add_argument(f"--{name}", type=int, default=size, help="of Sizes")
    parser.add_argument("--plot", help="file for the plot: .png or .svg")
    return parser.parse_args(arguments)


def _setting(flags: argparse.Namespace) -> Setting:
    sizes = Sizes(**{name: getattr(flags, name) for name in Sizes._fields})
    positive = [*sizes, flags.memory, flags.bandwidth, flags.network]
    positive += [1.0 if flags.flops is None else flags.flops]
    others = [flags.launch, flags.latency, flags.network_latency, flags.chunk]
    if min(positive) <= 0 or min(others) < 0:
        raise ValueError("sizes and rates must be above zero, the rest not below it")
    if flags.times and flags.flops is not None:
        raise ValueError("give either --times or --flops")
    if flags.times:
        times = read_times(flags.times)
    else:
        flops = flags.flops or fitted_flops(
            sizes, flags.memory, flags.launch, PAPER_ONE
        )
        print(f"a device: {flops / 1e12:.3f} TFLOP/s")
        times = computed_times(sizes, Machine(flops, flags.memory, flags.launch))
    network = Link(flags.network, flags.network_latency)
    return Setting(sizes, times, Link(flags.bandwidth, flags.latency), network)


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the tables and draws the plot."""
    flags = _flags(arguments)
    try:
        setting = _setting(flags)
        for name, seconds in dataclasses.asdict(setting.times).items():
            print(f"{name}: {1e3 * seconds:.3f} ms")
        print()
        print(table(setting, flags.chunk))
        if flags.plot:
            draw(flags.plot, setting, flags.chunk)
    except (OSError, ValueError) as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
