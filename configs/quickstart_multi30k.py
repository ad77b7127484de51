"""What `tools/quickstart.sh` trains: Multi30k, English to French, raw text.

    NMT_DATA=DATA nmt-train --config=configs/quickstart_multi30k.py --run_dir=RUN

`tools/fetch_multi30k.py DATA/multi30k` gets the data. The budget is a few minutes on
two CPU cores, so the model is small and training ends early.
"""

import os

from nmt.config import Config, DataConfig, ModelConfig, TrainingConfig


def get_config() -> Config:
    """Returns settings that learn something worth reading within minutes."""
    folder = os.path.expandvars("$NMT_DATA/multi30k")
    return Config(
        data=DataConfig(
            train_source=f"{folder}/train.en.gz",
            train_target=f"{folder}/train.fr.gz",
            validation_source=f"{folder}/val.en.gz",
            validation_target=f"{folder}/val.fr.gz",
            source_vocabulary_size=4000,
            target_vocabulary_size=4000,
            reverse_source=False,
        ),
        model=ModelConfig(
            cell="gru",
            embedding_size=192,
            hidden_size=192,
            num_layers=1,
            bidirectional=True,
            attention="bahdanau",
            attention_size=192,
            deep_output="tanh",
            output_size=192,
            tied_embeddings=True,
            dropout=0.1,
        ),
        # Four epochs end long before anything is learnt by heart.
        training=TrainingConfig(max_epochs=4.0, label_smoothing=0.0),
    )
