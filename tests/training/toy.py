"""A toy task, small enough to train in a test: copy words of letters."""

import pathlib

import numpy as np

from nmt.config import Config


def write_text(folder: pathlib.Path, pairs: int = 60) -> None:
    """Writes `source` and `target`, equal lines of a few letters."""
    generator = np.random.default_rng(0)
    lines = [
        " ".join(generator.choice(list("abcdefgh"), generator.integers(1, 6)))
        for _ in range(pairs)
    ]
    for side in ("source", "target"):
        (folder / side).write_text("".join(f"{line}\n" for line in lines))


def settings(folder: pathlib.Path) -> Config:
    """Returns settings that train on that text, dropout and Adam included."""
    config = Config()
    config.data.train_source = str(folder / "source")
    config.data.train_target = str(folder / "target")
    config.data.source_tokenizer = config.data.target_tokenizer = "words"
    config.data.held_out = 6
    config.batching.batch_size, config.batching.pool_batches = 8, 2
    config.model.embedding_size, config.model.hidden_size = 8, 12
    config.model.num_layers, config.model.dropout = 1, 0.2
    config.training.schedule, config.training.warmup_updates = "constant", 0
    config.training.max_epochs, config.training.max_updates = 100.0, 20
    config.training.evaluate_every, config.training.checkpoint_every = 10, 5
    config.training.log_every, config.training.patience = 5, 0
    config.evaluation.bleu_tokenizer = "none"
    return config
