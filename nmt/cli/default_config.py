"""The default of `--config`: the small-data preset, for anybody's own parallel text.

A small RNNsearch (Bahdanau et al., 2015): GRUs, a bidirectional encoder, attention.
"""

from nmt.config import Config, DataConfig, ModelConfig


def get_config() -> Config:
    """Returns the defaults of every setting, with attention."""
    return Config(
        data=DataConfig(reverse_source=False),
        model=ModelConfig(
            cell="gru",
            num_layers=1,
            bidirectional=True,
            attention="bahdanau",
            deep_output="tanh",
            tied_embeddings=True,
            dropout=0.3,
        ),
    )
