"""Settings of a model that do not go together."""

from nmt.config import ModelConfig
from nmt.errors import UserError

ATTENTIONS = (
    "none",
    "last_state",
    "bahdanau",
    "normalized_bahdanau",
    "luong_dot",
    "luong_general",
    "luong_scaled",
)

# What the decoder of the LSTM paper has no other values of.
_WITHOUT_ATTENTION = {
    "bidirectional": False,
    "input_feeding": False,
    "deep_output": "none",
    "output_state": "new",
    "tied_embeddings": False,
}


def attends_with_new_state(config: ModelConfig) -> bool:
    """Whether the decoder's query is the state after the step."""
    attends = config.attention not in ("none", "last_state")
    return attends and config.attention_query == "new"


def check_model(config: ModelConfig) -> None:
    """Refuses combinations that mean nothing, each with what to change.

    Raises:
        UserError: names the settings.

    Example:
        >>> check_model(ModelConfig(attention="none", bidirectional=True))
        Traceback (most recent call last):
        ...
        nmt.errors.UserError: model.bidirectional=True: needs a model.attention other \
than 'none', whose decoder is the LSTM paper's
    """
    if config.attention == "none":
        for name, only in _WITHOUT_ATTENTION.items():
            if getattr(config, name) != only:
                raise UserError(
                    f"model.{name}={getattr(config, name)!r}: needs a model.attention "
                    "other than 'none', whose decoder is the LSTM paper's"
                )
        return
    if attends_with_new_state(config):
        _check_new_query(config)
    elif config.input_feeding:
        raise UserError(
            "model.input_feeding=True: needs a model.attention other than 'last_state' "
            "and model.attention_query='new'; with 'previous' the context is an input "
            "anyway"
        )
    annotation = (1 + config.bidirectional) * config.hidden_size
    if config.attention == "luong_dot" and annotation != config.hidden_size:
        raise UserError(
            "model.attention='luong_dot': a bidirectional encoder's annotations are "
            "twice as wide as the decoder's states; choose 'luong_general'"
        )
    _check_output(config)


def _check_new_query(config: ModelConfig) -> None:
    if config.attention_layer == "bottom":
        raise UserError(
            "model.attention_query='new': needs model.attention_layer='top'; the "
            "bottom layer attends with its previous state"
        )
    if (config.deep_output, config.output_state) != ("tanh", "new"):
        raise UserError(
            "model.attention_query='new': needs model.deep_output='tanh' and "
            "model.output_state='new', through which the context reaches the softmax"
        )


def _check_output(config: ModelConfig) -> None:
    has_output = config.deep_output != "none"
    width = config.output_size if has_output else config.hidden_size
    if config.tied_embeddings and width != config.embedding_size:
        raise UserError(
            f"model.tied_embeddings=True: what enters the softmax is {width} wide, the "
            f"embeddings {config.embedding_size}; make model.output_size, with a "
            "model.deep_output, equal to model.embedding_size"
        )
    if config.output_state == "new":
        return
    if not has_output:
        raise UserError(
            "model.output_state='previous': needs model.deep_output='maxout' or "
            "'tanh'; the state before alone does not know the last word"
        )
    if config.residual and config.num_layers > 1:
        raise UserError(
            "model.output_state='previous': not with model.residual=True, whose "
            "outputs are not its states"
        )
