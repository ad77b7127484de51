"""Compares trained models on a test set: perplexity, BLEU, and whether BLEU differs.

    python tools/compare_runs.py --run_dir=A,B --source=test.en --reference=test.fr

Each model is loaded with its best weights. The last lines are the paired bootstrap of
each later run against the first one, as `nmt-evaluate --baseline` makes it.
"""

import argparse
import math
import pathlib
import tempfile
from typing import NamedTuple

import numpy as np

from nmt.config import BatchingConfig, EvaluationConfig
from nmt.data import (
    ParallelText,
    build_corpus,
    evaluation_batches,
    read_lines,
)
from nmt.decoding.translation_options import TranslationOptions
from nmt.decoding.translator import Translator
from nmt.evaluation import Bootstrap, count_lines, paired_bootstrap
from nmt.models.run_folder import LoadedModel, RunFolder
from nmt.training.validation import Likelihood


class Result(NamedTuple):
    """What one run reached.

    Attributes:
        perplexity: exp of the nats a target token, ends of sentence included.
        outputs: The translation of each line.
    """

    perplexity: float
    outputs: list[str]


def measure(run_dir: str, source: str, reference: str, beam_size: int) -> Result:
    """Scores and translates the test set with the best weights of a run."""
    loaded = RunFolder(run_dir).load_model()
    translations = Translator(loaded).translate(
        read_lines(source), TranslationOptions(beam_size=beam_size)
    )
    return Result(
        perplexity(loaded, source, reference), [each.text for each in translations]
    )


def perplexity(loaded: LoadedModel, source: str, reference: str) -> float:
    """Returns the perplexity of the references, unknown words scored as `<unk>`."""
    text = ParallelText(source, reference, loaded.source_codec, loaded.target_codec)
    with tempfile.TemporaryDirectory() as folder:
        corpus = build_corpus(
            pathlib.Path(folder, "corpus"), text, None, 0, lambda done, total: None
        )
        batches = evaluation_batches(
            corpus,
            np.arange(len(corpus)),
            BatchingConfig(),
            loaded.config.data.reverse_source,
        )
        sums = Likelihood(loaded.model).sums(batches)
    return math.exp(sums.nats / sums.tokens)


def main() -> None:
    """Reads the command line and prints a row a run."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--run_dir", required=True, help="run folders, with commas")
    parser.add_argument("--source", required=True, help="test source")
    parser.add_argument("--reference", required=True, help="test reference")
    parser.add_argument("--beam_size", type=int, default=1, help="1: greedy")
    parser.add_argument("--bleu_tokenizer", default="none", help="sacrebleu's")
    flags = parser.parse_args()
    runs = flags.run_dir.split(",")
    results = [
        measure(run, flags.source, flags.reference, flags.beam_size) for run in runs
    ]
    config = EvaluationConfig(bleu_tokenizer=flags.bleu_tokenizer)
    references = [(line,) for line in read_lines(flags.reference)]
    counted = [
        count_lines("bleu", result.outputs, references, config) for result in results
    ]
    for run, result, statistics in zip(runs, results, counted, strict=True):
        bleu = statistics.score().value
        print(f"{run}: perplexity {result.perplexity:.3f}, BLEU {bleu:.2f}")
    signature = counted[0].score().signature
    for run, statistics in zip(runs[1:], counted[1:], strict=True):
        test = paired_bootstrap(statistics, counted[0], Bootstrap())
        print(f"{run}: paired bootstrap, {test.samples:,} samples: {test} ({runs[0]})")
        signature = test.signature
    print(signature)


if __name__ == "__main__":
    main()
