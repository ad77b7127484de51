"""From settings to a model, and how large it is."""

from nmt.config import ModelConfig
from nmt.models.seq2seq import Seq2Seq


def build_model(
    config: ModelConfig, source_vocabulary_size: int, target_vocabulary_size: int
) -> Seq2Seq:
    """Returns the model with its weights created, under the strategy in scope.

    Args:
        config: Sizes and initialisation.
        source_vocabulary_size: Rows, special tokens included.
        target_vocabulary_size: Rows, special tokens included.

    Raises:
        UserError: the initializer has no such name.
    """
    model = Seq2Seq(
        source_vocabulary_size,
        target_vocabulary_size,
        embedding_size=config.embedding_size,
        hidden_size=config.hidden_size,
        num_layers=config.num_layers,
        dropout=config.dropout,
        initializer=config.initializer,
        initializer_scale=config.initializer_scale,
        name="seq2seq",
    )
    model.build()
    return model


def parameter_count(
    config: ModelConfig, source_vocabulary_size: int, target_vocabulary_size: int
) -> int:
    """Returns the number of weights in closed form, without building the model.

    With m the embedding's width, n the cells and L the layers,

        (V_x + V_y) m  +  n V_y + V_y  +  2 [4n (m + n + 1) + (L - 1) 4n (2n + 1)]

    are the embeddings, the softmax with its bias, and two LSTMs with theirs. For
    Sutskever et al. (2014) that is 320M + 64M = 384M, and 112,000 biases.

    Args:
        config: Sizes.
        source_vocabulary_size: V_x.
        target_vocabulary_size: V_y.

    Example:
        >>> paper = ModelConfig(embedding_size=1000, hidden_size=1000, num_layers=4)
        >>> parameter_count(paper, 160_000, 80_000)
        384112000
    """
    m, n = config.embedding_size, config.hidden_size
    embeddings = (source_vocabulary_size + target_vocabulary_size) * m
    softmax = (n + 1) * target_vocabulary_size
    first = 4 * n * (m + n + 1)
    others = (config.num_layers - 1) * 4 * n * (2 * n + 1)
    return embeddings + softmax + 2 * (first + others)
