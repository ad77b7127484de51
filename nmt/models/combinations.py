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
than 'none', whose decoder starts from states as wide as its own
    """
    if config.attention == "none":
        _refuse_without_attention(config)
        return
    new_query = attends_with_new_state(config)
    if config.attention != "last_state":
        if new_query and config.attention_layer == "bottom":
            raise UserError(
                "model.attention_query='new': needs model.attention_layer='top'; the "
                "bottom layer attends with its previous state"
            )
        if new_query and (config.deep_output, config.output_state) != ("tanh", "new"):
            raise UserError(
                "model.attention_query='new': needs model.deep_output='tanh' and "
                "model.output_state='new', through which the context reaches the "
                "softmax"
            )
        annotation = (1 + config.bidirectional) * config.hidden_size
        if config.attention == "luong_dot" and annotation != config.hidden_size:
            raise UserError(
                "model.attention='luong_dot': a bidirectional encoder's annotations are "
                "twice as wide as the decoder's states; choose 'luong_general'"
            )
    if config.input_feeding and not new_query:
        raise UserError(
            "model.input_feeding=True: needs model.attention_query='new'; with "
            "'previous' the context is an input anyway"
        )
    _check_output(config)


def _refuse_without_attention(config: ModelConfig) -> None:
    if config.bidirectional:
        raise UserError(
            "model.bidirectional=True: needs a model.attention other than 'none', whose "
            "decoder starts from states as wide as its own"
        )
    for name in ("input_feeding", "tied_embeddings"):
        if getattr(config, name):
            raise UserError(
                f"model.{name}=True: needs a model.attention other than 'none'"
            )
    if config.deep_output != "none":
        raise UserError(
            f"model.deep_output={config.deep_output!r}: needs a model.attention other "
            "than 'none'"
        )


def _check_output(config: ModelConfig) -> None:
    width = config.hidden_size
    if config.deep_output != "none":
        width = config.output_size
    if config.tied_embeddings and width != config.embedding_size:
        raise UserError(
            f"model.tied_embeddings=True: what enters the softmax is {width} wide, the "
            f"embeddings {config.embedding_size}; make model.output_size, with a "
            "model.deep_output, equal to model.embedding_size"
        )
    if config.output_state == "previous" and config.deep_output == "none":
        raise UserError(
            "model.output_state='previous': needs model.deep_output='maxout' or 'tanh'; "
            "the state before alone does not know the last word"
        )
    if config.output_state == "previous" and config.residual:
        raise UserError(
            "model.output_state='previous': not with model.residual=True, whose outputs "
            "are not its states"
        )
