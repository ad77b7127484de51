"""What is said before the first update: the recipe, and what runs where."""

from absl import logging

from nmt.config import Config, ModelConfig, TrainingConfig
from nmt.data.epoch import Epoch, EpochPlan
from nmt.data.report import DataReport, UpdateSize, sample_pairs
from nmt.distribution import Layout
from nmt.models import parameter_count
from nmt.models.seq2seq import Seq2Seq
from nmt.training.prepare import PreparedData

# Values that an optimizer keeps of each weight.
_SLOTS = {"sgd": 0, "adam": 2, "adadelta": 2}
_BYTES = 4
# Values of one layer that the backward pass needs, in cells a position: of an LSTM four
# gates, tanh of the cell, cell, hidden state and the product with the input (four
# gates); of a GRU two gates, the candidate, hidden state and the product (three gates).
_TRACE = {"lstm": 11, "gru": 7}


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
    if config.optimizer == "adadelta":
        lines[0] += " (rho 0.95, epsilon 1e-6; the method's own rate is 1)"
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


def data_report(data: PreparedData) -> DataReport:
    """Returns what is known of text, batches and size before the first update."""
    config = data.config
    batching, seed = config.batching, config.training.seed
    plan = Epoch(data.corpus, data.rows, batching, seed, epoch=0).plan()
    validation = data.validation
    held_out = validation.corpus is data.corpus
    return DataReport(
        training=data.corpus.statistics,
        validation=None if held_out else validation.corpus.statistics,
        training_pairs=len(data.rows),
        held_out=len(validation.rows) if held_out else 0,
        vocabulary_sizes=data.vocabulary_sizes,
        plan=plan,
        size=update_size(config, data.vocabulary_sizes, plan),
        samples=sample_pairs(
            data.corpus, data.rows, data.source_codec, data.target_codec
        ),
    )


def update_size(
    config: Config, vocabulary_sizes: tuple[int, int], plan: EpochPlan
) -> UpdateSize:
    """Estimates what one update takes in memory.

    Counted are weights, gradients and the optimizer's slots, the traces of all
    recurrent layers, and logits with their gradient (three times tokens x vocabulary).

    Args:
        config: Sizes and optimizer.
        vocabulary_sizes: Rows of the source and of the target vocabulary.
        plan: The largest batches.
    """
    model = config.model
    parameters = parameter_count(model, *vocabulary_sizes)
    weights = parameters * (2 + _SLOTS.get(config.training.optimizer, 0))
    positions = (1 + model.bidirectional) * plan.largest_source + plan.largest_target
    trace = positions * _TRACE[model.cell] * model.hidden_size * model.num_layers
    softmax = 3 * plan.largest_target * vocabulary_sizes[1]
    return UpdateSize(parameters, _BYTES * (weights + trace + softmax))


def log_recipe(config: Config, model: Seq2Seq, layout: Layout) -> None:
    """Logs model, recipe, replicas and the time loop that each layer runs."""
    sizes = config.model
    logging.info(
        "model: %s, %d layers of %d cells (%s), embeddings of %d, dropout %g, %s "
        "source; %d parameters",
        _architecture(sizes),
        sizes.num_layers,
        sizes.hidden_size,
        sizes.cell,
        sizes.embedding_size,
        sizes.dropout,
        "reversed" if config.data.reverse_source else "forward",
        model.count_params(),
    )
    for line in describe_recipe(config.training):
        logging.info("recipe: %s", line)
    kernels = (*model.encoder.stack.kernels_in_use, *model.decoder.kernels_in_use)
    logging.info(
        "%d replica(s); time loops: %s",
        layout.strategy.num_replicas_in_sync,
        ", ".join(sorted(set(kernels))),
    )
    if layout.grid is not None:
        logging.info(
            "layers on devices %s, slices of the vocabulary on %s, of each replica",
            list(layout.placement.layers),
            list(layout.placement.shards),
        )


def _architecture(config: ModelConfig) -> str:
    """Returns in words what the decoder is told of the source."""
    told = {"none": "the last states", "last_state": "the last state at every word"}
    encoder = "bidirectional encoder" if config.bidirectional else "encoder"
    told_of = told.get(config.attention, f"{config.attention} attention")
    return f"{encoder}, decoder with {told_of}"
