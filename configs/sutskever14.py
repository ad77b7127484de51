"""The LSTM of Sutskever, Vinyals and Le (2014), whole: WMT'14 English to French.

    nmt-train --config=configs/sutskever14.py --run_dir=RUN

`$NMT_DATA/wmt14` holds the selected 12 million tokenised sentence pairs. 384,112,000
parameters. The paper trained about ten days on 8 GPUs and reports a BLEU of 30.59 for
one model with beam 12 on newstest2014 (section 3.6, table 1). Nobody has trained this
configuration here: both figures are the paper's.
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
    """Returns the settings of sections 3.1 to 3.4 of the paper."""
    folder = os.path.expandvars("$NMT_DATA/wmt14")
    return Config(
        data=DataConfig(
            train_source=f"{folder}/train.tok.en.gz",
            train_target=f"{folder}/train.tok.fr.gz",
            validation_source=f"{folder}/newstest2013.tok.en.gz",
            validation_target=f"{folder}/newstest2013.tok.fr.gz",
            source_tokenizer="words",
            target_tokenizer="words",
            source_vocabulary_size=160_000,
            target_vocabulary_size=80_000,
            minimum_count=1,
            reverse_source=True,
            # The paper gives no limit; longer pairs would not fit beside 128 others.
            max_source_length=100,
            max_target_length=100,
        ),
        batching=BatchingConfig(batch_by="sentences", batch_size=128),
        model=ModelConfig(
            embedding_size=1000,
            hidden_size=1000,
            num_layers=4,
            dropout=0.0,
            initializer="uniform",
            initializer_scale=0.08,
        ),
        training=TrainingConfig(
            optimizer="sgd",
            learning_rate=0.7,
            schedule="halving",
            halve_from_epoch=5.0,
            warmup_updates=0,
            divide_by="sentences",
            max_gradient_norm=5.0,
            label_smoothing=0.0,
            max_epochs=7.5,
            # The paper stops by the clock, not by validation.
            patience=0,
            # An epoch is about 94,000 updates; a checkpoint takes 1.5 GB.
            evaluate_every=10_000,
            checkpoint_every=5_000,
            log_every=100,
        ),
        decoding=DecodingConfig(beam_size=12),
        # The paper scores cased, tokenised text (multi-bleu.pl).
        evaluation=EvaluationConfig(metric="bleu", bleu_tokenizer="none"),
    )
