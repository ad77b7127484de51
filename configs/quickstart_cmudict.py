"""What `tools/quickstart.sh` trains without Multi30k: CMUdict, letters to phones.

    NMT_DATA=DATA nmt-train --config=configs/quickstart_cmudict.py --run_dir=RUN

`tools/prepare_cmudict.py DATA/cmudict` gets the data. The budget is a few minutes on
two CPU cores, so the model is small and training ends early.
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
    """Returns settings that learn something worth reading within minutes."""
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
            reverse_source=False,
        ),
        batching=BatchingConfig(batch_size=64),
        model=ModelConfig(
            cell="gru",
            embedding_size=96,
            hidden_size=192,
            num_layers=1,
            bidirectional=True,
            attention="bahdanau",
            attention_size=96,
            deep_output="tanh",
            output_size=96,
            tied_embeddings=True,
            dropout=0.1,
        ),
        # Four epochs end long before anything is learnt by heart.
        training=TrainingConfig(max_epochs=4.0, label_smoothing=0.0),
        decoding=DecodingConfig(beam_size=4),
        evaluation=EvaluationConfig(metric="word_error_rate"),
    )
