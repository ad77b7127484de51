"""From text files to padded batches of token ids, and back to text."""

from nmt.data.batching import check_batching, plan_batches
from nmt.data.codec import TextCodec
from nmt.data.codec_builder import build_codec
from nmt.data.corpus import Corpus
from nmt.data.corpus_builder import build_corpus
from nmt.data.corpus_writer import ParallelText
from nmt.data.drops import LengthLimits
from nmt.data.epoch import Epoch, EpochPlan
from nmt.data.n_best import NBestLine, NBestList, read_n_best
from nmt.data.pipeline import (
    Batch,
    evaluation_batches,
    reverse_words,
    source_batch,
    target_batch,
    training_batches,
)
from nmt.data.report import DataReport, UpdateSize, sample_pairs
from nmt.data.text import count_pairs, open_output, read_lines, replace_file
from nmt.data.tokenizers import CharacterTokenizer, Tokenizer, WordTokenizer
from nmt.data.vocabulary import BOS_ID, EOS_ID, PAD_ID, UNK_ID, Vocabulary

__all__ = [
    "BOS_ID",
    "EOS_ID",
    "PAD_ID",
    "UNK_ID",
    "Batch",
    "CharacterTokenizer",
    "Corpus",
    "DataReport",
    "Epoch",
    "EpochPlan",
    "LengthLimits",
    "NBestLine",
    "NBestList",
    "ParallelText",
    "TextCodec",
    "Tokenizer",
    "UpdateSize",
    "Vocabulary",
    "WordTokenizer",
    "build_codec",
    "build_corpus",
    "check_batching",
    "count_pairs",
    "evaluation_batches",
    "open_output",
    "plan_batches",
    "read_lines",
    "read_n_best",
    "replace_file",
    "reverse_words",
    "sample_pairs",
    "source_batch",
    "target_batch",
    "training_batches",
]
