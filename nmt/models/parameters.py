"""How large a model is, in closed form."""

from typing import NamedTuple

from nmt.config import ModelConfig
from nmt.models.combinations import attends_with_new_state


class Count(NamedTuple):
    """Numbers of weights.

    Attributes:
        matrices: Entries of matrices, v_a and the scale of an attention included.
        biases: Entries of biases, and of layer normalisations.
    """

    matrices: int
    biases: int

    def __add__(self, other: "Count") -> "Count":  # type: ignore[override]
        """Adds both numbers."""
        return Count(self.matrices + other.matrices, self.biases + other.biases)


def parameter_count(
    config: ModelConfig,
    source_vocabulary_size: int,
    target_vocabulary_size: int,
    biases: bool = True,
) -> int:
    """Returns the number of weights without building the model.

    With m the embedding's width, n that of a layer, L the layers and g the gates (4 of
    an LSTM, 3 of a GRU), a layer that reads i numbers has g n (i + n) weights and g n
    biases. For Sutskever et al. (2014),

        (V_x + V_y) m  +  n V_y  +  2 [4n (m + n) + (L - 1) 4n (2n)] = 320M + 64M

    and 112,000 biases; for Bahdanau et al. (2015), with l the width of the deep output
    and n' that of the alignment model,

        (V_x + V_y) m  +  2 * 3n (m + n)  +  3n (m + n + 2n)        words and GRUs
        +  n' n + n' 2n + n'  +  n n  +  2l (n + m + 2n)  +  l V_y  = 80,401,000

    Args:
        config: Architecture and sizes.
        source_vocabulary_size: V_x.
        target_vocabulary_size: V_y.
        biases: Whether to count biases.

    Example:
        >>> paper = ModelConfig(embedding_size=1000, hidden_size=1000, num_layers=4)
        >>> parameter_count(paper, 160_000, 80_000)
        384112000
    """
    m, n = config.embedding_size, config.hidden_size
    embeddings = Count((source_vocabulary_size + target_vocabulary_size) * m, 0)
    count = embeddings + _encoder(config)
    if config.attention == "none":
        count += _layers(config, config.num_layers, m, n)
        count += _softmax(config, n, target_vocabulary_size)
    else:
        count += _attention_decoder(config, target_vocabulary_size)
    return count.matrices + (count.biases if biases else 0)


def _layers(config: ModelConfig, layers: int, first: int, others: int) -> Count:
    """Returns the weights of a stack in one direction.

    Args:
        config: Cell and width.
        layers: Layers, at least one.
        first: What the lowest one reads.
        others: What each of the others reads.
    """
    n = config.hidden_size
    gates = {"lstm": 4, "gru": 3}[config.cell]
    read = first + (layers - 1) * others
    norms = 2 * others * (layers - 1) if config.layer_norm else 0
    return Count(gates * n * (read + layers * n), layers * gates * n + norms)


def _encoder(config: ModelConfig) -> Count:
    m, n, layers = config.embedding_size, config.hidden_size, config.num_layers
    if not config.bidirectional:
        return _layers(config, layers, m, n)
    one = _layers(config, layers, m, 2 * n)
    norms = 2 * 2 * n * (layers - 1) if config.layer_norm else 0
    # Both directions read the same normalised inputs.
    return Count(2 * one.matrices, 2 * one.biases - norms)


def _attention_decoder(config: ModelConfig, vocabulary_size: int) -> Count:
    m, n, layers = config.embedding_size, config.hidden_size, config.num_layers
    annotation = (1 + config.bidirectional) * n
    parts = 2 if config.cell == "lstm" else 1
    count = Count(layers * parts * n * n, layers * parts * n)
    output = config.output_size if config.deep_output != "none" else n
    if attends_with_new_state(config):
        fed = output if config.input_feeding else 0
        count += _layers(config, layers, m + fed, n)
        count += Count(output * (annotation + n), 0)
    elif config.attention == "last_state" or config.attention_layer == "top":
        count += _layers(config, layers, m + annotation, n)
    else:
        count += _layers(config, 1, m + annotation, n)
        if layers > 1:
            count += _layers(config, layers - 1, n + annotation, n)
    if config.deep_output != "none" and not attends_with_new_state(config):
        width = output * (2 if config.deep_output == "maxout" else 1)
        count += Count(width * (n + m + annotation), width)
    count += _attention(config, annotation)
    return count + _softmax(config, output, vocabulary_size)


def _attention(config: ModelConfig, annotation: int) -> Count:
    n, size = config.hidden_size, config.attention_size
    if config.attention in ("last_state", "luong_dot"):
        return Count(0, 0)
    if config.attention.startswith("luong"):
        return Count(n * annotation + (config.attention == "luong_scaled"), 0)
    alignment = size * n + size * annotation + size
    if config.attention == "bahdanau":
        return Count(alignment, 0)
    return Count(alignment + 1, size)


def _softmax(config: ModelConfig, width: int, vocabulary_size: int) -> Count:
    matrix = 0 if config.tied_embeddings else width * vocabulary_size
    return Count(matrix, vocabulary_size)
