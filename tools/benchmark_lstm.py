"""Times `nmt.layers.LSTM` against `keras.layers.LSTM`, side by side in one process.

A pass runs a stack of layers over a batch of sequences forward and backward, to the
gradients of the inputs and of all weights. Passes of the two take turns, so that both
meet the same load of the machine.

    python tools/benchmark_lstm.py --units=512 --layers=2 --batch=64 --time=15
"""

import argparse
import statistics
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

import keras
import tensorflow as tf

from nmt.layers import LSTM

LAYERS = {"keras": keras.layers.LSTM, "nmt": LSTM}

Pass = Callable[[], None]


class Sizes(NamedTuple):
    """What a pass computes: `batch` sequences of `time` steps, inputs `units` wide."""

    units: int
    layers: int
    batch: int
    time: int


class Seconds(NamedTuple):
    """The cost of one pass: processor time of all threads together, and wall time."""

    processor: float
    wall: float


def make_pass(layer: Callable[..., keras.layers.Layer], sizes: Sizes) -> Pass:
    """Returns a compiled pass over random sequences, some of them half padding."""
    inputs = tf.random.normal([sizes.batch, sizes.time, sizes.units])
    lengths = tf.linspace(sizes.time / 2, sizes.time, sizes.batch)
    mask = tf.sequence_mask(tf.round(lengths), sizes.time)
    stack = [layer(sizes.units, return_sequences=True) for _ in range(sizes.layers)]
    for each in stack:
        each.build(inputs.shape)
    weights = [weight.value for each in stack for weight in each.trainable_variables]

    @tf.function(input_signature=[tf.TensorSpec([None, None, sizes.units])])
    def gradients(sequences: tf.Tensor) -> list[tf.Tensor]:
        with tf.GradientTape() as tape:
            tape.watch(sequences)
            outputs = sequences
            for each in stack:
                outputs = each(outputs, mask=mask)
            loss = tf.reduce_sum(tf.square(outputs))
        return tape.gradient(loss, [sequences, *weights])

    def run() -> None:
        for gradient in gradients(inputs):
            # Waits until it is there.
            gradient.numpy()

    return run


def take_turns(passes: Mapping[str, Pass], repeats: int) -> dict[str, list[Seconds]]:
    """Runs each pass `repeats` times, all once before any runs again.

    A first round, which compiles, does not count.
    """
    costs: dict[str, list[Seconds]] = {name: [] for name in passes}
    for _ in range(repeats + 1):
        for name, run in passes.items():
            processor, wall = time.process_time(), time.perf_counter()
            run()
            cost = Seconds(time.process_time() - processor, time.perf_counter() - wall)
            costs[name].append(cost)
    return {name: cost[1:] for name, cost in costs.items()}


def report(costs: Mapping[str, list[Seconds]]) -> str:
    """Returns a table of medians with their ranges, and the ratio of the medians."""
    lines = [f"{'layer':8}{'processor ms (range)':>28}{'wall ms (range)':>28}"]
    for name, cost in costs.items():
        processor, wall = zip(*cost, strict=True)
        lines.append(f"{name:8}{_summary(processor):>28}{_summary(wall):>28}")
    keras_median, nmt_median = (
        [statistics.median(values) for values in zip(*costs[name], strict=True)]
        for name in ("keras", "nmt")
    )
    processor, wall = (
        theirs / ours for theirs, ours in zip(keras_median, nmt_median, strict=True)
    )
    lines.append(f"keras / nmt: processor time {processor:.2f}, wall time {wall:.2f}")
    return "\n".join(lines)


def _summary(seconds: tuple[float, ...]) -> str:
    median, low, high = (
        1e3 * value
        for value in (statistics.median(seconds), min(seconds), max(seconds))
    )
    return f"{median:.1f} ({low:.1f}-{high:.1f})"


def main() -> None:
    """Reads the command line, measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--units", type=int, default=512, help="cells a layer")
    parser.add_argument("--layers", type=int, default=2, help="layers of the stack")
    parser.add_argument("--batch", type=int, default=64, help="sequences")
    parser.add_argument("--time", type=int, default=15, help="steps a sequence")
    parser.add_argument("--repeats", type=int, default=10, help="timed passes of each")
    parser.add_argument("--threads", type=int, default=1, help="0: one a core")
    flags = parser.parse_args()
    tf.config.threading.set_intra_op_parallelism_threads(flags.threads)
    tf.config.threading.set_inter_op_parallelism_threads(flags.threads)
    sizes = Sizes(flags.units, flags.layers, flags.batch, flags.time)
    print(f"{sizes}, {flags.threads} threads, {flags.repeats} passes each")
    passes = {name: make_pass(layer, sizes) for name, layer in LAYERS.items()}
    print(report(take_turns(passes, flags.repeats)))


if __name__ == "__main__":
    main()
