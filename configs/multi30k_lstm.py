"""A small LSTM of the paper's form: Multi30k, English to French, lower-cased words.

    NMT_DATA=DATA nmt-train --config=configs/multi30k_lstm.py --run_dir=RUN

`$NMT_DATA/multi30k/tok` holds the data set's own tokenised text (`data/task1/tok` of
its repository), with the XML escapes of the Moses tokenizer undone (`&apos;` is `'`)
and each file compressed by gzip. The same command with
`--config.data.reverse_source=false` is the other half of the reversal experiment. On
test_2016_flickr, greedy, one run each: BLEU 13.50 and perplexity 11.59 reversed, 10.91
and 13.55 forward. Each took 41 minutes of one CPU core.
"""

import os

from nmt.config import (
    BatchingConfig,
    Config,
    DataConfig,
    EvaluationConfig,
    ModelConfig,
    TrainingConfig,
)


def get_config() -> Config:
    """Returns the settings of the small preset on tokenised text."""
    folder = os.path.expandvars("$NMT_DATA/multi30k/tok")
    return Config(
        data=DataConfig(
            train_source=f"{folder}/train.lc.norm.tok.en.gz",
            train_target=f"{folder}/train.lc.norm.tok.fr.gz",
            validation_source=f"{folder}/val.lc.norm.tok.en.gz",
            validation_target=f"{folder}/val.lc.norm.tok.fr.gz",
            source_tokenizer="words",
            target_tokenizer="words",
            source_vocabulary_size=10_000,
            target_vocabulary_size=10_000,
            minimum_count=2,
            reverse_source=True,
        ),
        batching=BatchingConfig(batch_by="sentences", batch_size=64),
        model=ModelConfig(
            embedding_size=256,
            hidden_size=256,
            num_layers=2,
            dropout=0.3,
        ),
        training=TrainingConfig(
            optimizer="adam",
            learning_rate=0.002,
            max_epochs=8.0,
        ),
        evaluation=EvaluationConfig(metric="bleu", bleu_tokenizer="none"),
    )
