"""RNNencdec-50, the baseline of Bahdanau et al. (2015): WMT'14 English to French.

    nmt-train --config=configs/bahdanau15_encdec.py --run_dir=RUN

With `--config.data.max_source_length=30 --config.data.max_target_length=30` it is
RNNencdec-30.

All is as in `bahdanau15_search.py`, which says what the data is, but for the model: one
forward encoder, whose last state is the context of every target word. The paper reports
on newstest2014 (tables 1 and 2):

    RNNencdec-30    6.4 epochs    109 hours    BLEU 13.93
    RNNencdec-50    4.5 epochs    108 hours    BLEU 17.82

on one GPU of 2014. Nobody has trained this configuration here: all figures are the
paper's.
"""

import os

from nmt.config import (
    BatchingConfig,
    Config,
    DataConfig,
    DecodingConfig,
    EvaluationConfig,
    ModelConfig,
    TrainingConfig,
)


def get_config() -> Config:
    """Returns the settings of section 4.2 and of appendices A and B of the paper."""
    folder = os.path.expandvars("$NMT_DATA/wmt14")
    return Config(
        data=DataConfig(
            train_source=f"{folder}/train.tok.en.gz",
            train_target=f"{folder}/train.tok.fr.gz",
            validation_source=f"{folder}/newstest2012-2013.tok.en.gz",
            validation_target=f"{folder}/newstest2012-2013.tok.fr.gz",
            source_tokenizer="words",
            target_tokenizer="words",
            # 29,996 words and four special tokens: the paper's 30,000 rows.
            source_vocabulary_size=30_000,
            target_vocabulary_size=30_000,
            minimum_count=1,
            max_source_length=50,
            max_target_length=50,
            reverse_source=False,
        ),
        batching=BatchingConfig(batch_by="sentences", batch_size=80, pool_batches=20),
        model=ModelConfig(
            cell="gru",
            embedding_size=620,
            hidden_size=1000,
            num_layers=1,
            # "The encoder and decoder of the RNNencdec have 1000 hidden units each."
            bidirectional=False,
            attention="last_state",
            deep_output="maxout",
            output_size=500,
            output_state="previous",
            dropout=0.0,
            initializer="bahdanau",
        ),
        training=TrainingConfig(
            # With rho 0.95 and epsilon 1e-6, and no other rate.
            optimizer="adadelta",
            learning_rate=1.0,
            schedule="constant",
            warmup_updates=0,
            divide_by="sentences",
            max_gradient_norm=1.0,
            label_smoothing=0.0,
            max_epochs=4.5,
            patience=0,
            # An epoch is about 130,000 updates; a checkpoint takes 800 MB.
            evaluate_every=10_000,
            checkpoint_every=5_000,
            log_every=100,
        ),
        decoding=DecodingConfig(beam_size=12),
        # Cased, tokenised text, as multi-bleu.pl scores it.
        evaluation=EvaluationConfig(metric="bleu", bleu_tokenizer="none"),
    )
