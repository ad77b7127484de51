"""Measures memory and time of the softmax, whole and cut by vocabulary.

One step is the loss of a batch and its gradient for inputs, matrix and bias, on one
device. Each form runs in a process of its own. Memory is the most that the process has
resident during a step above what it has before: weights and inputs are in both. Time is
the median of a few steps; take it on a machine that does nothing else.

    python tools/measure_softmax.py
    python tools/measure_softmax.py --vocabulary=8000 --width=500 --tokens=500
"""

import argparse
import ctypes
import json
import pathlib
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

FORMS = ("dense", "sharded", "recomputed")
_MEBIBYTES = 2**20
# Linux resets the peak of a process when this is written to its `clear_refs`.
_RESET_PEAK = "5"


class Sizes(NamedTuple):
    """What is measured; the defaults are the LSTM paper's, of 64 sentences of 30."""

    vocabulary: int = 80_000
    width: int = 1000
    tokens: int = 1920
    shards: int = 4


class Cost(NamedTuple):
    """What a form costs.

    Attributes:
        base: Bytes resident before the first step.
        peak: Bytes above them, at most.
        seconds: Of a step, the median.
        loss: Mean nats a token, to compare.
    """

    base: int
    peak: int
    seconds: float
    loss: float


def resident(field: str) -> int:
    """Returns a figure of this process in bytes: `VmRSS`, or `VmHWM` for the peak."""
    for line in pathlib.Path("/proc/self/status").read_text("utf-8").splitlines():
        name, _, value = line.partition(":")
        if name == field:
            return int(value.split()[0]) * 1024
    raise OSError(f"/proc/self/status has no {field}")


def make_step(form: str, sizes: Sizes) -> Callable[[int], float]:
    """Returns a function that makes a step of so many tokens: nats a token."""
    import tensorflow as tf

    from nmt.layers import ShardedSoftmax
    from nmt.models import WordLogits

    if form == "dense":
        layer = WordLogits(sizes.vocabulary, kernel_initializer="zeros")
    else:
        layer = ShardedSoftmax(
            sizes.vocabulary,
            sizes.shards,
            recompute=form == "recomputed",
            kernel_initializer="zeros",
        )
    layer.build((None, sizes.width))
    kernels = [layer.kernel] if form == "dense" else layer.kernels
    # A hundred rows at a time: drawing leaves no traces in the memory.
    for row in range(0, sizes.width, 100):
        shape = [min(100, sizes.width - row), sizes.vocabulary]
        rows = tf.random.stateless_uniform(shape, [1, row], -0.08, 0.08)
        widths = [kernel.shape[1] for kernel in kernels]
        for kernel, part in zip(kernels, tf.split(rows, widths, axis=1), strict=True):
            kernel.value[row : row + 100].assign(part)
    weights = [weight.value for weight in layer.weights]

    @tf.function(
        input_signature=[
            tf.TensorSpec([None, sizes.width]),
            tf.TensorSpec([None], tf.int32),
        ]
    )
    def step(inputs: tf.Tensor, targets: tf.Tensor) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            loss = tf.reduce_sum(layer.token_losses(inputs, targets)[0])
        return loss, tape.gradient(loss, [inputs, *weights])

    def run(tokens: int) -> float:
        inputs = tf.random.stateless_uniform([tokens, sizes.width], [1, 2], -1.0)
        targets = tf.range(tokens) * 97 % sizes.vocabulary
        loss, _ = step(inputs, targets)
        return float(loss) / max(tokens, 1)

    return run


def measure(form: str, sizes: Sizes, steps: int) -> Cost:
    """Measures a form in this process; a first step, of no tokens, makes the graph."""
    step, seconds, loss = make_step(form, sizes), [], 0.0
    step(0)
    # What is free already would otherwise be used first, and not be seen.
    ctypes.CDLL(None).malloc_trim(0)
    pathlib.Path("/proc/self/clear_refs").write_text(_RESET_PEAK, "utf-8")
    base = resident("VmRSS")
    for _ in range(steps):
        began = time.perf_counter()
        loss = step(sizes.tokens)
        seconds.append(time.perf_counter() - began)
    peak = resident("VmHWM") - base
    return Cost(base, peak, statistics.median(seconds), loss)


def in_a_process(form: str, flags: argparse.Namespace) -> Cost:
    """Measures a form in a process of its own."""
    sizes = [f"--{name}={getattr(flags, name)}" for name in Sizes._fields]
    options = [f"--steps={flags.steps}", f"--threads={flags.threads}"]
    command = [sys.executable, __file__, f"--form={form}", *sizes, *options]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return Cost(**json.loads(done.stdout))


def report(costs: dict[str, Cost]) -> str:
    """Returns a table: megabytes, seconds, and both as shares of the dense form's."""
    dense = costs["dense"]
    lines = ["form          base MiB   peak over base   of dense   step s   of dense"]
    for form, cost in costs.items():
        lines.append(
            f"{form:12} {cost.base / _MEBIBYTES:9.0f} {cost.peak / _MEBIBYTES:16.0f}"
            f" {cost.peak / dense.peak:10.2f} {cost.seconds:8.2f}"
            f" {cost.seconds / dense.seconds:10.2f}"
        )
    return "\n".join(lines)


def check(costs: dict[str, Cost]) -> None:
    """Refuses to compare forms that compute something else.

    Raises:
        SystemExit: the losses differ.
    """
    losses = [cost.loss for cost in costs.values()]
    if max(losses) - min(losses) > 1e-4 * max(losses):
        raise SystemExit(f"the losses differ: {losses}")


def main() -> None:
    """Reads the command line, measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    for name, default in Sizes()._asdict().items():
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--steps", type=int, default=3, help="timed ones of each")
    parser.add_argument("--threads", type=int, default=1, help="of an operation")
    parser.add_argument("--form", choices=FORMS, help="in this process, as JSON")
    flags = parser.parse_args()
    sizes = Sizes(*(getattr(flags, name) for name in Sizes._fields))
    if flags.form:
        import tensorflow as tf

        tf.config.threading.set_intra_op_parallelism_threads(flags.threads)
        tf.config.threading.set_inter_op_parallelism_threads(1)
        print(json.dumps(measure(flags.form, sizes, flags.steps)._asdict()))
        return
    costs = {form: in_a_process(form, flags) for form in FORMS}
    check(costs)
    print(f"{sizes}, {flags.threads} threads, {flags.steps} steps")
    print(report(costs))


if __name__ == "__main__":
    main()
