"""A small LSTM of the paper's form: CMUdict, spelling to pronunciation.

    python tools/prepare_cmudict.py DATA/cmudict
    NMT_DATA=DATA nmt-train --config=configs/cmudict_lstm.py --run_dir=RUN

Letters in, phones with stress out. For comparison, the README of cmusphinx/g2p-seq2seq
gives Phonetisaurus, an n-gram system, a word error rate of 33.89 % on the newest
dictionary, without stress and on another split.
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
    """Returns the settings of the small preset on letters and phones."""
    folder = os.path.expandvars("$NMT_DATA/cmudict")
    return Config(
        data=DataConfig(
            train_source=f"{folder}/train.words",
            train_target=f"{folder}/train.phones",
            validation_source=f"{folder}/val.words",
            validation_target=f"{folder}/val.phones",
            source_tokenizer="characters",
            target_tokenizer="words",
            # 27 letters and 69 phones, besides the special tokens.
            source_vocabulary_size=100,
            target_vocabulary_size=100,
            reverse_source=True,
        ),
        batching=BatchingConfig(batch_by="sentences", batch_size=128),
        model=ModelConfig(
            embedding_size=128,
            hidden_size=256,
            num_layers=2,
            dropout=0.2,
        ),
        training=TrainingConfig(
            optimizer="adam",
            learning_rate=0.002,
            max_epochs=15.0,
        ),
        decoding=DecodingConfig(beam_size=4),
        evaluation=EvaluationConfig(metric="word_error_rate"),
    )
