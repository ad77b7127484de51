"""Times the search against the same loop in PyTorch, greedy and with a beam of 12.

Both have the same 2x512 model with attention and the same sentences, of which each is
translated into as many words as are imposed on it; both search without repeating the
source for every hypothesis, and leave out sentences that have ended. That they find
equally likely translations is checked first; then they take turns. PyTorch lives in an
environment of its own, see `benchmark_attention.py`:

    python tools/benchmark_decoding.py --torch_python=TORCH/bin/python
"""

import argparse
import functools
import statistics
import time
from collections.abc import Callable

import numpy as np
import tensorflow as tf
from benchmark_attention import Cost, Sizes, make_batch, make_model, pytorch

from nmt.data.vocabulary import BOS_ID, EOS_ID, PAD_ID
from nmt.decoding import Hypotheses, SearchOptions, beam_search
from nmt.models import Seq2Seq

_TOLERANCE = 1e-4
_MILLISECONDS = 1e3

# Beam sizes and batch sizes that are timed.
CASES = ((1, 1), (1, 64), (12, 1), (12, 64))


def search_graph(model: Seq2Seq, beam_size: int) -> Callable[..., Hypotheses]:
    """Returns encoder and search as one graph."""
    options = SearchOptions(forbidden_ids=(PAD_ID, BOS_ID, EOS_ID))

    @tf.function(
        input_signature=[
            tf.TensorSpec([None, None], tf.int32),
            tf.TensorSpec([None], tf.int32),
        ]
    )
    def search(source: tf.Tensor, limits: tf.Tensor) -> Hypotheses:
        start = model.encode(source)
        return beam_search(
            model.step,
            start.state,
            limits,
            beam_size,
            BOS_ID,
            EOS_ID,
            options=options,
            memory=start.memory,
        )

    return search


def tensorflow_search(
    search: Callable[..., Hypotheses], source: np.ndarray, target: np.ndarray
) -> Callable[[int], Cost]:
    """Returns a function that searches the first sentences.

    Args:
        search: From `search_graph`.
        source: Ids.
        target: Ids, whose lengths are imposed.
    """
    limits = np.sum(target != PAD_ID, axis=1).astype(np.int32)

    def run(sentences: int) -> Cost:
        processor, wall = time.process_time(), time.perf_counter()
        found = search(tf.constant(source[:sentences]), tf.constant(limits[:sentences]))
        total = float(tf.reduce_sum(found.log_probs[:, 0]))
        return Cost(total, time.process_time() - processor, time.perf_counter() - wall)

    return run


def compare(
    ours: Callable[[], Cost], theirs: Callable[[], Cost], repeats: int
) -> tuple[list[Cost], list[Cost]]:
    """Lets both search in turns, after one search each that is not counted.

    Raises:
        SystemExit: what they find is not equally likely.
    """
    first = ours().result, theirs().result
    if abs(first[0] - first[1]) > _TOLERANCE * abs(first[1]):
        raise SystemExit(f"the searches differ: log probabilities {first}")
    pairs = [(ours(), theirs()) for _ in range(repeats)]
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


def row(beam_size: int, sentences: int, ours: list[Cost], theirs: list[Cost]) -> str:
    """Returns a line of the table: medians a sentence, and their ratio."""
    medians = [
        (
            statistics.median(cost.processor for cost in costs) / sentences,
            statistics.median(cost.wall for cost in costs) / sentences,
        )
        for costs in (ours, theirs)
    ]
    each = [f"{_MILLISECONDS * wall:.1f}" for _, wall in medians]
    (processor, wall), (their_processor, their_wall) = medians
    return (
        f"{beam_size:4} {sentences:5} {each[0]:>8} {each[1]:>8}"
        f" {their_wall / wall:10.2f} {their_processor / processor:10.2f}"
    )


def main() -> None:
    """Reads the command line, measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--torch_python", required=True, help="has PyTorch")
    parser.add_argument("--repeats", type=int, default=9, help="searches of each")
    parser.add_argument("--threads", type=int, default=1, help="of each")
    flags = parser.parse_args()
    tf.config.threading.set_intra_op_parallelism_threads(flags.threads)
    tf.config.threading.set_inter_op_parallelism_threads(flags.threads)
    sizes = Sizes()
    source, target = make_batch(sizes)
    # The first sentence is to be one of the usual length.
    order = np.argsort(np.abs(np.sum(target != PAD_ID, axis=1) - sizes.time * 0.8))
    source, target = source[order], target[order]
    model = make_model(sizes)
    print(f"{sizes}, {flags.threads} threads, {flags.repeats} searches each")
    print("beam batch   nmt ms   PyTorch  PyTorch/nmt: wall  processor")
    with pytorch(flags.torch_python, model, source, target, flags.threads) as ask:
        for beam_size, sentences in CASES:
            ours = tensorflow_search(search_graph(model, beam_size), source, target)
            costs = compare(
                functools.partial(ours, sentences),
                functools.partial(ask, f"search {beam_size} {sentences}"),
                flags.repeats,
            )
            print(row(beam_size, sentences, *costs), flush=True)


if __name__ == "__main__":
    main()
