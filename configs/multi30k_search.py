"""A small RNNsearch: Multi30k, English to French, lower-cased words.

    NMT_DATA=DATA nmt-train --config=configs/multi30k_search.py --run_dir=RUN

The data is that of `multi30k_lstm.py`. Beam and length penalty were chosen on the
validation set. On test_2016_flickr, one run: BLEU 58.46 after about an hour of one CPU
core. (Its learning rate fell as for 16 epochs for the first 7.2 of the 12.) The same
command with `--config.model.attention=last_state` is RNNencdec, without alignment.
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
            max_epochs=12.0,
            patience=0,
        ),
        decoding=DecodingConfig(beam_size=12, length_penalty=0.6),
        evaluation=EvaluationConfig(metric="bleu", bleu_tokenizer="none"),
    )
