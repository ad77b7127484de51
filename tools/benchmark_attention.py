"""Times an update of a 2x512 attention model against the same model in PyTorch.

Both have the same weights at first and read the same batch, which the first loss
proves; updates of the two, plain SGD, take turns, so that both meet the same load of
the machine. PyTorch lives in an environment of its own:

    python -m venv TORCH && TORCH/bin/pip install torch==2.13.0 numpy
    python tools/benchmark_attention.py --torch_python=TORCH/bin/python
"""

import argparse
import contextlib
import os
import pathlib
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import keras
import numpy as np
import tensorflow as tf

from nmt.config import ModelConfig, TrainingConfig
from nmt.models import Seq2Seq, build_model
from nmt.models.seq2seq import shift_right
from nmt.training.optimizers import make_optimizer
from nmt.training.step import TrainStep

PYTORCH = pathlib.Path(__file__).with_name("attention_pytorch.py")

# How far the first losses may be apart, relative to their size.
_TOLERANCE = 1e-4


class Cost(NamedTuple):
    """What something came to, and what it cost, in seconds.

    Attributes:
        result: Of an update: its loss, nats, summed over the words of the batch.
        processor: Of all threads together.
        wall: From beginning to end.
    """

    result: float
    processor: float
    wall: float


class Sizes(NamedTuple):
    """What an update computes."""

    units: int = 512
    vocabulary: int = 8000
    batch: int = 64
    time: int = 15


def make_batch(sizes: Sizes) -> tuple[np.ndarray, np.ndarray]:
    """Returns source and target ids with 22 % of the positions padding."""
    random = np.random.default_rng(0)
    shape = sizes.batch, sizes.time
    lengths = np.linspace(0.56 * sizes.time, sizes.time, sizes.batch).round()
    words = np.arange(sizes.time) < lengths[:, np.newaxis]
    source, target = (
        np.where(words, random.integers(4, sizes.vocabulary, shape), 0)
        for _ in range(2)
    )
    return source.astype(np.int32), target.astype(np.int32)


def make_model(sizes: Sizes) -> Seq2Seq:
    """Returns the model with random weights."""
    keras.utils.set_random_seed(1)
    config = ModelConfig(
        cell="lstm",
        embedding_size=sizes.units,
        hidden_size=sizes.units,
        num_layers=2,
        attention="bahdanau",
        attention_size=sizes.units,
        dropout=0.0,
    )
    return build_model(config, sizes.vocabulary, sizes.vocabulary)


def tensorflow_updates(
    model: Seq2Seq, source: np.ndarray, target: np.ndarray
) -> Callable[[], Cost]:
    """Returns a function that makes an update, as `nmt-train` does."""
    config = TrainingConfig(optimizer="sgd", max_gradient_norm=0, label_smoothing=0)
    step = TrainStep(
        model, make_optimizer(config), tf.distribute.get_strategy(), config
    )
    batch = tf.constant(source), tf.constant(target)

    def update() -> Cost:
        processor, wall = time.process_time(), time.perf_counter()
        result, _ = step(*batch, 0.1)
        loss = float(result.sums.loss)
        return Cost(loss, time.process_time() - processor, time.perf_counter() - wall)

    return update


@contextlib.contextmanager
def pytorch(
    python: str, model: Seq2Seq, source: np.ndarray, target: np.ndarray, threads: int
) -> Iterator[Callable[[str], Cost]]:
    """Yields what asks the same model in PyTorch, which has a process of its own."""
    weights = {
        weight.path.removeprefix("seq2seq/"): weight.numpy() for weight in model.weights
    }
    inputs = shift_right(tf.constant(target)).numpy()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.npz")
        np.savez(path, source=source, inputs=inputs, target=target, **weights)
        with subprocess.Popen(
            [python, str(PYTORCH), path, str(threads)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": str(threads)},
        ) as process:
            question, answer = process.stdin, process.stdout
            assert question
            assert answer

            def ask(line: str) -> Cost:
                question.write(f"{line}\n")
                question.flush()
                return Cost(*map(float, answer.readline().split()))

            yield ask
            question.close()


def report(costs: dict[str, list[Cost]]) -> str:
    """Returns medians with their ranges, and the ratio of the medians."""
    lines = [f"{'update':12}{'processor ms (range)':>28}{'wall ms (range)':>28}"]
    medians = {}
    for name, updates in costs.items():
        _, processor, wall = zip(*updates, strict=True)
        lines.append(f"{name:12}{_summary(processor):>28}{_summary(wall):>28}")
        medians[name] = statistics.median(processor), statistics.median(wall)
    processor, wall = (
        theirs / ours
        for theirs, ours in zip(medians["PyTorch"], medians["nmt"], strict=True)
    )
    lines.append(f"PyTorch / nmt: processor time {processor:.2f}, wall time {wall:.2f}")
    return "\n".join(lines)


def _summary(seconds: tuple[float, ...]) -> str:
    values = statistics.median(seconds), min(seconds), max(seconds)
    median, low, high = (1e3 * value for value in values)
    return f"{median:.0f} ({low:.0f}-{high:.0f})"


def main() -> None:
    """Reads the command line, measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--torch_python", required=True, help="has PyTorch")
    parser.add_argument("--repeats", type=int, default=15, help="updates of each")
    parser.add_argument("--threads", type=int, default=1, help="of each")
    flags = parser.parse_args()
    tf.config.threading.set_intra_op_parallelism_threads(flags.threads)
    tf.config.threading.set_inter_op_parallelism_threads(flags.threads)
    sizes = Sizes()
    source, target = make_batch(sizes)
    model = make_model(sizes)
    print(f"{sizes}, {flags.threads} threads, {flags.repeats} updates each")
    with pytorch(flags.torch_python, model, source, target, flags.threads) as ask:
        updates: dict[str, Callable[[], Cost]] = {
            "PyTorch": lambda: ask("update"),
            "nmt": tensorflow_updates(model, source, target),
        }
        first = [update().result for update in updates.values()]
        if abs(first[0] - first[1]) > _TOLERANCE * abs(first[1]):
            raise SystemExit(f"the models differ: first losses {first}")
        print(f"first losses: {first[0]:.3f} and {first[1]:.3f} nats")
        costs: dict[str, list[Cost]] = {name: [] for name in updates}
        for round_number in range(flags.repeats + 2):
            for name, update in updates.items():
                cost = update()
                # The first rounds fill caches.
                if round_number >= 2:
                    costs[name].append(cost)
    print(report(costs))


if __name__ == "__main__":
    main()
