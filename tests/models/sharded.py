"""A model with its words cut by vocabulary, and the dense one with equal weights."""

from typing import Any

import numpy as np

from nmt.config import ModelConfig
from nmt.distribution import Placement
from nmt.models import Seq2Seq, build_model
from nmt.models.whole_weights import by_whole_path

# Neither is divided by the numbers of slices that tests use.
SOURCE_WORDS, TARGET_WORDS = 11, 10

MODELS: dict[str, dict[str, Any]] = {
    "lstm": {},
    "search": {
        "cell": "gru",
        "bidirectional": True,
        "attention": "bahdanau",
        "deep_output": "maxout",
    },
    "tied": {
        "attention": "luong_general",
        "attention_layer": "top",
        "attention_query": "new",
        "deep_output": "tanh",
        "output_size": 5,
        "tied_embeddings": True,
    },
}


def make_model(
    name: str,
    shards: int | Placement,
    recompute: bool = False,
    words: int = TARGET_WORDS,
) -> Seq2Seq:
    """Returns a model whose words are cut into slices of one device; 1: uncut."""
    config = ModelConfig(
        embedding_size=5, hidden_size=6, num_layers=1, dropout=0.0, **MODELS[name]
    )
    if isinstance(shards, int):
        shards = Placement((0,), (0,) * shards, recompute=recompute)
    return build_model(config, SOURCE_WORDS, words, shards)


def stored(model: Seq2Seq) -> dict[str, Any]:
    """Returns the weights as a checkpoint has them, by path."""
    return by_whole_path(model.weights)


def randomise(model: Seq2Seq, seed: int = 3, scale: float = 1.0) -> Seq2Seq:
    """Draws all weights: equal ones for equal models, however they are cut."""
    random = np.random.default_rng(seed)
    for _, weight in sorted(stored(model).items()):
        shape = weight.numpy().shape
        weight.assign(random.uniform(-scale, scale, shape).astype(np.float32))
    return model
