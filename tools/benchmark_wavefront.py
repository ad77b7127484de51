"""Times a stack of LSTMs on several devices, in chunks, against one core.

A pass runs the stack forward and backward, to the gradients of inputs and weights. Each
way to run it is a process of its own with its own number of threads:

- one device, one thread, on one core: what the others are compared with;
- one device, several threads inside each operation;
- a device for each layer, chunks of some steps, one thread for each operation and
  several operations at the same time.

The processes take turns, so that all meet the same load of the machine; only one of
them works at a time.

    python tools/benchmark_wavefront.py --units=512 --layers=4 --batch=64 --time=30
"""

import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import IO, NamedTuple

Pass = Callable[[], None]


class Way(NamedTuple):
    """How a stack is run.

    Attributes:
        name: What the table calls it.
        chunk_length: Steps of a chunk; 0: no chunks.
        devices: CPU devices; with more than one, each layer has its own.
        inside: Threads inside an operation.
        beside: Operations at the same time.
        cores: Cores that the process may use; 0: all.
    """

    name: str
    chunk_length: int
    devices: int
    inside: int
    beside: int
    cores: int


class Sizes(NamedTuple):
    """What a pass computes: `batch` sequences of `time` steps, inputs `units` wide."""

    units: int
    layers: int
    batch: int
    time: int


def ways(sizes: Sizes, chunk_lengths: Sequence[int], threads: int) -> list[Way]:
    """Returns what is compared, the one core first."""
    chunked = [
        Way(f"chunks of {length}", length, sizes.layers, 1, threads, 0)
        for length in chunk_lengths
    ]
    inside = Way(f"{threads} threads inside operations", 0, 1, threads, 1, 0)
    return [Way("one core", 0, 1, 1, 1, 1), inside, *chunked]


def make_pass(way: Way, sizes: Sizes) -> Pass:
    """Returns a compiled pass over random sequences; TensorFlow is set up for it."""
    import tensorflow as tf

    from nmt.distribution import DeviceGrid
    from nmt.layers import LSTMStack

    devices = [f"CPU:{number}" for number in range(way.devices)]
    grid = DeviceGrid([devices]) if way.devices > 1 else None
    inputs = tf.random.normal([sizes.batch, sizes.time, sizes.units])
    with grid.scope() if grid else contextlib.nullcontext():
        stages = range(sizes.layers) if grid else None
        stack = LSTMStack(
            sizes.units, sizes.layers, stages=stages, chunk_length=way.chunk_length
        )
        stack.build(inputs.shape)
    weights = [weight.value for weight in stack.trainable_variables]

    @tf.function(input_signature=[tf.TensorSpec([None, None, sizes.units])])
    def gradients(sequences: tf.Tensor) -> list[tf.Tensor]:
        with tf.GradientTape() as tape:
            tape.watch(sequences)
            outputs, _ = stack(sequences, training=True)
            loss = tf.reduce_sum(tf.square(outputs))
        return tape.gradient(loss, [sequences, *weights])

    def run() -> None:
        with grid.scope() if grid else contextlib.nullcontext():
            for gradient in gradients(inputs):
                # Waits until it is there.
                gradient.numpy()

    return run


def serve(way: Way, sizes: Sizes, requests: IO[str], answers: IO[str]) -> None:
    """Makes a pass for each line of `requests`; answers with its seconds."""
    if way.cores and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: way.cores])
    import tensorflow as tf

    from nmt.config import DistributionConfig
    from nmt.distribution import configure_devices

    tf.config.threading.set_intra_op_parallelism_threads(way.inside)
    tf.config.threading.set_inter_op_parallelism_threads(way.beside)
    configure_devices(DistributionConfig(logical_devices=way.devices))
    run = make_pass(way, sizes)
    for _ in requests:
        began = time.perf_counter()
        run()
        answers.write(f"{time.perf_counter() - began}\n")
        answers.flush()


def measure(each: Sequence[Way], sizes: Sizes, repeats: int) -> dict[str, list[float]]:
    """Lets the ways take turns, each in its process; returns seconds by name.

    A first round, which compiles, does not count.
    """
    seconds: dict[str, list[float]] = {way.name: [] for way in each}
    with contextlib.ExitStack() as stack:
        processes = [stack.enter_context(_start(way, sizes)) for way in each]
        for number in range(repeats + 1):
            for way, process in zip(each, processes, strict=True):
                assert process.stdin is not None
                assert process.stdout is not None
                process.stdin.write("pass\n")
                process.stdin.flush()
                answer = process.stdout.readline()
                if not answer:
                    sys.exit(f"error: the process of {way.name!r} ended")
                if number:
                    seconds[way.name].append(float(answer))
    return seconds


def _start(way: Way, sizes: Sizes) -> subprocess.Popen[str]:
    program = [sys.executable, __file__, "--serve", json.dumps([way, sizes])]
    return subprocess.Popen(
        program,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "2"},
    )


def report(seconds: Mapping[str, Sequence[float]]) -> str:
    """Returns a table of medians with their ranges, as shares of the first one's."""
    width = max(map(len, seconds)) + 2
    base = statistics.median(next(iter(seconds.values())))
    lines = [f"{'':{width}}{'ms a pass (range)':>26}{'of one core':>14}"]
    for name, values in seconds.items():
        median = statistics.median(values)
        low, high = 1e3 * min(values), 1e3 * max(values)
        figures = f"{1e3 * median:.1f} ({low:.1f}-{high:.1f})"
        lines.append(f"{name:{width}}{figures:>26}{median / base:>14.2f}")
    return "\n".join(lines)


def main() -> None:
    """Reads the command line, measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--units", type=int, default=512, help="cells a layer")
    parser.add_argument("--layers", type=int, default=4, help="layers of the stack")
    parser.add_argument("--batch", type=int, default=64, help="sequences")
    parser.add_argument("--time", type=int, default=30, help="steps a sequence")
    parser.add_argument(
        "--chunks", default="3,5,6,10,15", help="steps of a chunk, a comma between"
    )
    parser.add_argument("--threads", type=int, default=2, help="where there are more")
    parser.add_argument("--repeats", type=int, default=10, help="timed passes of each")
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    flags = parser.parse_args()
    if flags.serve:
        way, sizes = json.loads(flags.serve)
        serve(Way(*way), Sizes(*sizes), sys.stdin, sys.stdout)
        return
    sizes = Sizes(flags.units, flags.layers, flags.batch, flags.time)
    print(f"{sizes}, {flags.repeats} passes each")
    lengths = [int(length) for length in flags.chunks.split(",")]
    print(report(measure(ways(sizes, lengths, flags.threads), sizes, flags.repeats)))


if __name__ == "__main__":
    main()
