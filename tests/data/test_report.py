"""What the data report says, and what it refuses."""

from collections.abc import Callable, Sequence

import pytest

from nmt.config import BatchingConfig
from nmt.data.codec import TextCodec
from nmt.data.corpus import Corpus
from nmt.data.drops import LengthLimits
from nmt.data.epoch import Epoch
from nmt.data.report import DataReport, UpdateSize, sample_pairs
from nmt.errors import UserError

Build = Callable[..., Corpus]
MakeCodec = Callable[[Sequence[str]], TextCodec]

SOURCE = ["a b", "", "a", "b a", "c", "a a a a a"] + ["a"] * 14
TARGET = ["a", "b", "c", "", "a b", "b"] + ["b"] * 14


def report(
    corpus: Corpus,
    codec: TextCodec,
    validation: Corpus | None = None,
    batching: BatchingConfig | None = None,
) -> DataReport:
    batching = batching or BatchingConfig()
    return DataReport(
        training=corpus.statistics,
        validation=validation.statistics if validation else None,
        training_pairs=len(corpus.rows),
        held_out=len(corpus.held_out_rows),
        vocabulary_sizes=(8000, 12_000),
        plan=Epoch(corpus, corpus.rows, batching, 1, 0).plan(),
        size=UpdateSize(parameters=1_234_567, memory=2_500_000_000),
        samples=sample_pairs(corpus, corpus.rows, codec, codec),
    )


@pytest.fixture
def corpus(build: Build) -> Corpus:
    limits = LengthLimits(4, 4)
    return build(SOURCE, TARGET, limits, held_out=1, known=["a b c"])


@pytest.fixture
def codec(word_codec: MakeCodec) -> TextCodec:
    return word_codec(["a b c"])


def test_the_report_names_what_it_saw(corpus: Corpus, codec: TextCodec) -> None:
    text = report(corpus, codec).text()
    for part in (
        "training source: ",
        "text.source\n  20 lines, 25 tokens, 0.00 % of them unknown\n",
        "tokens a line: 50 % up to 1, 90 % up to 2, 99 % up to 5, 100 % up to 5",
        "dropped, empty source: 1 (line 2)",
        "dropped, empty target: 1 (line 4)",
        "dropped, source over 4 tokens: 1 (line 6)",
        "pairs: 16 to train on, 1 held out",
        "vocabulary: 8,000 source rows, 12,000 target rows",
        "epoch: 1 updates, ",
        "model: 1,234,567 parameters, about 2.5 GB for an update",
        "  source: a b\n  target: a\n",
    ):
        assert part in text
    assert "validation" not in text


def test_the_report_names_validation_text_and_buckets(
    corpus: Corpus, codec: TextCodec, build: Build
) -> None:
    validation = build(["a", "b"], ["b", "c"], name="validation")
    batching = BatchingConfig(batch_size=10, bucket_boundaries=(3, 6))
    text = report(corpus, codec, validation, batching).text()
    assert "validation source: " in text
    assert "  length 3: 2 updates, 80 % of the rows are filled\n" in text


def test_unknown_tokens_are_named_and_refused_over_a_limit(
    corpus: Corpus, codec: TextCodec, build: Build, word_codec: MakeCodec
) -> None:
    known = report(corpus, codec)
    known.check(max_unknown_percent=0)
    foreign = build(["x y a", "x a a"], ["b", "c"], name="foreign", known=["a b c"])
    unknown = report(corpus, codec, foreign)
    assert "6 tokens, 50.00 % of them unknown (x 2, y 1)" in unknown.text()
    unknown.check(max_unknown_percent=50)
    with pytest.raises(UserError, match=r"source: 50\.0 % .*\(x 2, y 1\).*\(49\)"):
        unknown.check(max_unknown_percent=49)


def test_samples_are_the_tokens_that_the_model_sees(
    build: Build, codec: TextCodec
) -> None:
    source = [f"a {i}" for i in range(30)]
    corpus = build(source, ["b </s>"] * 30, known=["a b c"])
    samples = sample_pairs(corpus, corpus.rows, codec, codec)
    assert samples == (("a <unk>", "b <unk>"),) * 5
