"""What is said before the first update: the recipe, and what runs where."""

import tensorflow as tf
from absl import logging

from nmt.config import Config, TrainingConfig
from nmt.models.seq2seq import Seq2Seq


def describe_recipe(config: TrainingConfig) -> list[str]:
    """Returns the training recipe in words, one point an item.

    Example:
        >>> paper = TrainingConfig(
        ...     optimizer="sgd", learning_rate=0.7, schedule="halving",
        ...     warmup_updates=0, divide_by="sentences", max_gradient_norm=5.0,
        ...     label_smoothing=0.0, max_epochs=7.5, patience=0)
        >>> for line in describe_recipe(paper): print(line)
        sgd, learning rate 0.7, halved every half epoch from epoch 5 on
        gradient summed over tokens, divided by the number of sentences
        all gradients together rescaled to norm 5 where longer
        ends after 7.5 epochs
    """
    schedule = {
        "halving": f"halved every half epoch from epoch {config.halve_from_epoch:g} on",
        "linear": "falling to 0 at the end",
        "constant": "constant",
    }.get(config.schedule, config.schedule)
    lines = [f"{config.optimizer}, learning rate {config.learning_rate:g}, {schedule}"]
    if config.warmup_updates:
        lines[0] += f", first rising over {config.warmup_updates} updates"
    lines.append(
        f"gradient summed over tokens, divided by the number of {config.divide_by}"
    )
    if config.max_gradient_norm:
        lines.append(
            f"all gradients together rescaled to norm {config.max_gradient_norm:g} "
            "where longer"
        )
    if config.label_smoothing:
        lines.append(f"label smoothing {config.label_smoothing:g}")
    end = f"ends after {config.max_epochs:g} epochs"
    if config.max_updates:
        end += f" or {config.max_updates:,} updates"
    if config.patience:
        end += f", or {config.patience} evaluations without a better perplexity"
    return [*lines, end]


def log_recipe(
    config: Config, model: Seq2Seq, strategy: tf.distribute.Strategy
) -> None:
    """Logs model, recipe, replicas and the kernel that each LSTM layer runs."""
    sizes = config.model
    logging.info(
        "model: %d layers of %d cells, embeddings of %d, dropout %g, %s source; "
        "%d parameters",
        sizes.num_layers,
        sizes.hidden_size,
        sizes.embedding_size,
        sizes.dropout,
        "reversed" if config.data.reverse_source else "forward",
        model.count_params(),
    )
    for line in describe_recipe(config.training):
        logging.info("recipe: %s", line)
    kernels = (
        *model.encoder.stack.kernels_in_use,
        *model.decoder.stack.kernels_in_use,
    )
    logging.info(
        "%d replica(s); LSTM kernels: %s",
        strategy.num_replicas_in_sync,
        ", ".join(sorted(set(kernels))),
    )
