"""Times the scoring of n-best lists against plain forced decoding.

    python tools/benchmark_rescoring.py --run_dir=RUN --source=FILE --n_best=FILE

Plain is what a translation model offers without more ado: pairs of source and
hypothesis in batches of 64, as the list has them, each of which is encoded and
decoded as a whole. Both score the same lists, here spread evenly over the file; that
the scores are equal to 1e-4 is checked, then they take turns.
"""

import argparse
import statistics
import time
from collections.abc import Callable, Sequence

import numpy as np
import tensorflow as tf

from nmt.data.n_best import NBestList, read_n_best
from nmt.data.pipeline import source_batch
from nmt.data.text import read_lines
from nmt.data.vocabulary import EOS_ID
from nmt.decoding import Ensemble, ListScores, Scorer
from nmt.models.run_folder import RunFolder

_TOLERANCE = 1e-4

Score = Callable[[], np.ndarray]


def chosen_lists(path: str, count: int) -> list[NBestList]:
    """Returns so many lists of a file, evenly spread."""
    lists = list(read_n_best(path))
    places = np.linspace(0, len(lists) - 1, min(count, len(lists)))
    return [lists[int(place)] for place in places]


def plain_scorer(
    ensemble: Ensemble, pairs: Sequence[tuple[str, str]], batch_size: int
) -> Score:
    """Returns a function that scores pairs of source and hypothesis in batches."""
    codecs = ensemble.members[0]
    ids = tf.TensorSpec([None, None], tf.int32)

    @tf.function(input_signature=[ids, ids])
    def log_probs(source: tf.Tensor, target: tf.Tensor) -> tf.Tensor:
        return tf.reduce_sum(ensemble.forced_decoding(source, target).log_probs, axis=1)

    def score() -> np.ndarray:
        found = []
        for first in range(0, len(pairs), batch_size):
            sources, hypotheses = zip(*pairs[first : first + batch_size], strict=True)
            source = codecs.source_codec.encode(tf.constant(sources))
            words = codecs.target_codec.encode(tf.constant(hypotheses))
            ends = tf.fill([len(hypotheses), 1], EOS_ID)
            target = tf.concat([words, ends], axis=1).to_tensor()
            found.append(log_probs(source_batch(source, reverse=False), target))
        return np.concatenate(found)

    return score


def tree_scorer(
    ensemble: Ensemble, sources: Sequence[str], lists: Sequence[NBestList]
) -> Score:
    """Returns a function that scores lists as `nmt-rescore` does."""
    scorer = Scorer(ensemble)
    hypotheses = [each.hypotheses for each in lists]

    def score() -> np.ndarray:
        found = scorer.score_lists(sources, hypotheses)
        return np.concatenate([each.log_probs[:, -1] for each in found])

    return score


def compare(ours: Score, plain: Score, repeats: int) -> list[tuple[float, float]]:
    """Lets both score in turns, after one time each that is not counted.

    Returns:
        Seconds of ours and of the plain way, for every turn.

    Raises:
        SystemExit: the scores differ.
    """
    apart = float(np.abs(ours() - plain()).max())
    if apart > _TOLERANCE:
        raise SystemExit(f"the scores differ by up to {apart:.2g} nats")
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        ours()
        middle = time.perf_counter()
        plain()
        times.append((middle - began, time.perf_counter() - middle))
    return times


def about(scores: Sequence[ListScores]) -> str:
    """Returns how much there is to do, and what equal beginnings save of it."""
    hypotheses = sum(len(each.log_probs) for each in scores)
    steps = sum(each.steps for each in scores)
    words = sum(each.words for each in scores)
    return (
        f"{len(scores)} lists, {hypotheses:,} hypotheses, {words:,} words; equal "
        f"beginnings save {1 - steps / words:.1%} of the decoder's steps"
    )


def main() -> None:
    """Reads the command line, measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--run_dir", required=True, help="of a trained model")
    parser.add_argument("--source", required=True, help="source lines")
    parser.add_argument("--n_best", required=True, help="their lists")
    parser.add_argument("--lists", type=int, default=10, help="how many to score")
    parser.add_argument("--batch_size", type=int, default=64, help="of the plain way")
    parser.add_argument("--repeats", type=int, default=3, help="turns")
    parser.add_argument("--intra", type=int, default=1, help="threads in an operation")
    parser.add_argument("--inter", type=int, default=2, help="operations at a time")
    flags = parser.parse_args()
    tf.config.threading.set_intra_op_parallelism_threads(flags.intra)
    tf.config.threading.set_inter_op_parallelism_threads(flags.inter)
    ensemble = Ensemble([RunFolder(flags.run_dir).load_model()])
    lines = list(read_lines(flags.source))
    lists = chosen_lists(flags.n_best, flags.lists)
    sources = [lines[each.id] for each in lists]
    pairs = [(lines[each.id], words) for each in lists for words in each.hypotheses]
    print(about(Scorer(ensemble).score_lists(sources, [y.hypotheses for y in lists])))
    times = compare(
        tree_scorer(ensemble, sources, lists),
        plain_scorer(ensemble, pairs, flags.batch_size),
        flags.repeats,
    )
    rates = [len(pairs) / statistics.median(each) for each in zip(*times, strict=True)]
    print(f"nmt-rescore: {rates[0]:,.0f} hypotheses/s")
    print(f"plain, batches of {flags.batch_size}: {rates[1]:,.0f} hypotheses/s")
    print(f"ratio {rates[0] / rates[1]:.2f}")


if __name__ == "__main__":
    main()
