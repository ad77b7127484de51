"""Measures what a large corpus costs before the first update: seconds and memory.

A small parallel text is repeated to the size of a large one (the LSTM paper trains on
12 million pairs) in a temporary folder, and goes the way of every training:
vocabularies, encoded corpus, first batch, first update of the default model.

    python tools/measure_corpus.py --source=a.en.gz --target=a.fr.gz --pairs=12000000

Repeated text has no more distinct words than the small one: the counters of a real
corpus take some 200 bytes a distinct word more.
"""

import argparse
import itertools
import pathlib
import resource
import tempfile
import time

import tensorflow as tf

from nmt.config import BatchingConfig, Config
from nmt.data import (
    Batch,
    Corpus,
    LengthLimits,
    ParallelText,
    TextCodec,
    build_codec,
    build_corpus,
    read_lines,
    training_batches,
)
from nmt.models import build_model
from nmt.training.optimizers import make_optimizer
from nmt.training.step import TrainStep


class Stopwatch:
    """Prints the time since it was made, on clock and processor, and peak memory."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._processor_began = time.process_time()

    def show(self, what: str) -> None:
        """Prints one line."""
        seconds = time.monotonic() - self._began
        processor = time.process_time() - self._processor_began
        # Kilobytes, on Linux.
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        print(
            f"{what:20} {seconds:8.1f} s {processor:8.1f} CPU-s "
            f"{peak:6.2f} GB at the peak",
            flush=True,
        )


def repeat(path: str, copy: pathlib.Path, lines: int) -> None:
    """Writes the lines of a text again and again, until there are `lines` of them."""
    text = [line + "\n" for line in read_lines(path)]
    with copy.open("w", encoding="utf-8", newline="\n") as output:
        output.writelines(itertools.islice(itertools.cycle(text), lines))


def prepare(folder: pathlib.Path, source: str, target: str, size: int) -> Corpus:
    """Builds vocabularies and corpus, as `nmt-train` does, and prints the cost."""
    watch = Stopwatch()

    def codec(side: str, path: str) -> TextCodec:
        built = build_codec(side, [path], "words", size, 1, "", folder, _silent)
        watch.show(f"{side} vocabulary")
        return built

    text = ParallelText(
        source, target, codec("source", source), codec("target", target)
    )
    limits = LengthLimits(100, 100)
    corpus = build_corpus(folder / "corpus", text, limits, 1000, _silent)
    watch.show("corpus encoded")
    batches = training_batches(corpus, corpus.rows, BatchingConfig(), True, 1, 0)
    batch = next(iter(batches))
    watch.show("first batch")
    update(batch, text)
    watch.show("first update")
    return corpus


def update(batch: Batch, text: ParallelText) -> None:
    """Makes one update of the default model."""
    config = Config()
    model = build_model(
        config.model,
        text.source_codec.vocabulary_size,
        text.target_codec.vocabulary_size,
    )
    optimizer, strategy = make_optimizer(config.training), tf.distribute.get_strategy()
    step = TrainStep(model, optimizer, strategy, config.training)
    step(batch.source, batch.target, config.training.learning_rate)


def main() -> None:
    """Reads the command line, repeats the text and measures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--source", required=True, help="small source text")
    parser.add_argument("--target", required=True, help="its translation")
    parser.add_argument("--pairs", type=int, default=1_000_000, help="to repeat it to")
    parser.add_argument("--vocabulary", type=int, default=80_000, help="rows, a side")
    flags = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        source, target = folder / "text.source", folder / "text.target"
        repeat(flags.source, source, flags.pairs)
        repeat(flags.target, target, flags.pairs)
        corpus = prepare(folder, str(source), str(target), flags.vocabulary)
        words = corpus.source.tokens + corpus.target.tokens
        print(f"{len(corpus):,} pairs of {words:,} words")


def _silent(done: int, total: int | None) -> None:
    """Shows no progress: a bar would be measured too."""


if __name__ == "__main__":
    main()
