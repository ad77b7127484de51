"""A small RNNsearch: CMUdict, spelling to pronunciation.

    python tools/prepare_cmudict.py DATA/cmudict
    NMT_DATA=DATA nmt-train --config=configs/cmudict_search.py --run_dir=RUN

Letters in, phones with stress out. On our test set, one run: word error rate 31.93 %,
phone error rate 8.36 %, after about 46 minutes of processor time on two CPU cores
(TF_NUM_INTRAOP_THREADS=1, TF_NUM_INTEROP_THREADS=2: the two directions of the encoder
run side by side). With 384 units, dropout 0.2 and 20 epochs, about 160 minutes, it is
29.92 %.
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
            reverse_source=False,
        ),
        batching=BatchingConfig(batch_by="sentences", batch_size=64),
        model=ModelConfig(
            cell="gru",
            embedding_size=128,
            hidden_size=256,
            num_layers=1,
            bidirectional=True,
            attention="bahdanau",
            attention_size=128,
            deep_output="tanh",
            output_size=128,
            tied_embeddings=True,
            dropout=0.15,
        ),
        training=TrainingConfig(
            optimizer="adam",
            learning_rate=0.002,
            max_epochs=10.0,
            patience=0,
        ),
        decoding=DecodingConfig(beam_size=12),
        evaluation=EvaluationConfig(metric="word_error_rate"),
    )
