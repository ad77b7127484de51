"""A small RNNsearch: Multi30k, English to French, lower-cased words.

    NMT_DATA=DATA nmt-train --config=configs/multi30k_search.py --run_dir=RUN

The data is that of `multi30k_lstm.py`.
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
    """Returns the settings of the small preset on tokenised text."""
    folder = os.path.expandvars("$NMT_DATA/multi30k/tok")
    return Config(
        data=DataConfig(
            train_source=f"{folder}/train.lc.norm.tok.en.gz",
            train_target=f"{folder}/train.lc.norm.tok.fr.gz",
            validation_source=f"{folder}/val.lc.norm.tok.en.gz",
            validation_target=f"{folder}/val.lc.norm.tok.fr.gz",
            source_tokenizer="sentencepiece",
            target_tokenizer="sentencepiece",
            source_vocabulary_size=4000,
            target_vocabulary_size=4000,
            reverse_source=False,
        ),
        batching=BatchingConfig(batch_by="sentences", batch_size=64),
        model=ModelConfig(
            cell="gru",
            embedding_size=256,
            hidden_size=256,
            num_layers=1,
            bidirectional=True,
            attention="bahdanau",
            attention_size=256,
            deep_output="tanh",
            output_size=256,
            tied_embeddings=True,
            dropout=0.3,
        ),
        training=TrainingConfig(
            optimizer="adam",
            learning_rate=0.002,
            max_epochs=16.0,
            patience=0,
            average_checkpoints=5,
            keep_checkpoints=5,
        ),
        decoding=DecodingConfig(beam_size=12),
        evaluation=EvaluationConfig(metric="bleu", bleu_tokenizer="none"),
    )
