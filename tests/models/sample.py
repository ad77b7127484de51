"""A few of the many models that settings describe, each pair of settings in one."""

import dataclasses
import itertools

import numpy as np

from nmt.config import ModelConfig
from nmt.errors import UserError
from nmt.models.combinations import ATTENTIONS, check_model

CHOICES = {
    "cell": ("lstm", "gru"),
    "num_layers": (1, 3),
    "bidirectional": (False, True),
    "attention": ATTENTIONS,
    "attention_layer": ("bottom", "top"),
    "attention_query": ("previous", "new"),
    "input_feeding": (False, True),
    "deep_output": ("none", "maxout", "tanh"),
    "output_state": ("previous", "new"),
    "tied_embeddings": (False, True),
    "variational_dropout": (False, True),
    "residual": (False, True),
    "layer_norm": (False, True),
}
SIZES = {
    "embedding_size": 6,
    "hidden_size": 4,
    "attention_size": 5,
    "output_size": 6,
    "dropout": 0.3,
}


def valid() -> list[ModelConfig]:
    """Returns all combinations that `check_model` lets pass."""
    found = []
    for values in itertools.product(*CHOICES.values()):
        config = ModelConfig(**dict(zip(CHOICES, values, strict=True)), **SIZES)
        try:
            check_model(config)
        except UserError:
            continue
        found.append(config)
    return found


def pairs(config: ModelConfig) -> set[tuple]:
    """Returns every two settings with their values."""
    values = [(name, getattr(config, name)) for name in CHOICES]
    return set(itertools.combinations(values, 2))


def covering(configs: list[ModelConfig]) -> list[ModelConfig]:
    """Chooses some so that each pair of settings that all have is in one of them."""
    having = [(config, pairs(config)) for config in configs]
    missing = set().union(*(each for _, each in having))
    random, chosen = np.random.default_rng(1), []
    while missing:
        tried = [having[i] for i in random.choice(len(having), 300)]
        config, covered = max(tried, key=lambda each: len(each[1] & missing))
        if covered & missing:
            chosen.append(config)
            missing -= covered
    return chosen


def name(config: ModelConfig) -> str:
    """Returns the settings that differ from the defaults."""
    plain = ModelConfig(num_layers=1)
    parts = [config.cell, str(config.num_layers)]
    for setting in list(CHOICES)[2:]:
        value = getattr(config, setting)
        if value != getattr(plain, setting):
            parts.append(value if isinstance(value, str) else setting)
    return "-".join(parts)


VALID = valid()
# And the one way to tie embeddings without a deep output: layers as wide as they are.
SAMPLE = [
    *covering(VALID),
    dataclasses.replace(
        ModelConfig(**SIZES),
        attention="bahdanau",
        tied_embeddings=True,
        hidden_size=6,
    ),
]
