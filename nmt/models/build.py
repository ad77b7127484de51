"""From settings to a model."""

from typing import Any

import keras

from nmt.config import ModelConfig
from nmt.distribution import Placement
from nmt.layers import STACKS, AttentionWrapper, BahdanauAttention, LuongAttention
from nmt.models.attention_decoder import AttentionDecoder
from nmt.models.bridge import Bridge
from nmt.models.combinations import attends_with_new_state, check_model
from nmt.models.decoder import Decoder
from nmt.models.deep_output import DeepOutput
from nmt.models.encoder import Encoder
from nmt.models.fixed_context import FixedContext
from nmt.models.initializers import Initializers, fresh, make_initializers
from nmt.models.seq2seq import Seq2Seq
from nmt.models.word_layers import word_embedding, word_projection


def build_model(
    config: ModelConfig,
    source_vocabulary_size: int,
    target_vocabulary_size: int,
    placement: Placement | None = None,
) -> Seq2Seq:
    """Returns the model with its weights created, under the strategy in scope.

    Args:
        config: Architecture, sizes and initialisation.
        source_vocabulary_size: Rows, special tokens included.
        target_vocabulary_size: Rows, special tokens included.
        placement: Where its parts live; None: on one device.

    Raises:
        UserError: settings do not go together, or the initializer has no such name.
    """
    check_model(config)
    words = _word_options(placement)
    placed = _placed(placement)
    encoder = Encoder(
        source_vocabulary_size,
        bidirectional=config.bidirectional,
        name="encoder",
        shards=words["shards"],
        **placed,
        **_shared(config),
    )
    if config.attention == "none":
        decoder = Decoder(
            target_vocabulary_size,
            name="decoder",
            **placed,
            **words,
            **_shared(config),
        )
    else:
        decoder = _attention_decoder(config, target_vocabulary_size, placed, words)
    model = Seq2Seq(encoder, decoder, name="seq2seq")
    model.build()
    return model


def _placed(placement: Placement | None) -> dict[str, Any]:
    if placement is None:
        return {"stages": None, "chunk_length": 0}
    return {"stages": placement.layers, "chunk_length": placement.chunk_length}


def _shared(config: ModelConfig) -> dict[str, Any]:
    names = (
        "embedding_size",
        "hidden_size",
        "num_layers",
        "cell",
        "dropout",
        "variational_dropout",
        "residual",
        "layer_norm",
        "initializer",
        "initializer_scale",
    )
    return {name: getattr(config, name) for name in names}


def _word_options(placement: Placement | None) -> dict[str, Any]:
    """Returns how a decoder's embeddings and softmax are cut.

    A single slice on the first device is the ordinary case, which is not cut at all.
    """
    if placement is None or placement.shards == (0,):
        return {"shards": None, "recompute": False}
    return {"shards": placement.shards, "recompute": placement.recompute}


def _attention_decoder(
    config: ModelConfig,
    vocabulary_size: int,
    placed: dict[str, Any],
    words: dict[str, Any],
) -> AttentionDecoder:
    stages = placed["stages"]
    start = make_initializers(config.initializer, config.initializer_scale)
    lowest = _attending_layers(config)

    def stack(layers: slice, name: str) -> keras.layers.Layer:
        own = None if stages is None else stages[layers]
        count = len(range(config.num_layers)[layers])
        return _stack(config, start, count, {**placed, "stages": own}, name)

    return AttentionDecoder(
        embedding=word_embedding(
            vocabulary_size, config.embedding_size, start.embeddings, words["shards"]
        ),
        bridge=Bridge(
            config.cell,
            config.hidden_size,
            config.hidden_size,
            config.num_layers,
            stages=stages,
            name="bridge",
            **start.dense(),
        ),
        attending=_attending(config, stack(slice(lowest), "lowest"), start),
        projection=word_projection(
            vocabulary_size, config.tied_embeddings, **words, **start.dense()
        ),
        annotation_size=(1 + config.bidirectional) * config.hidden_size,
        upper=(
            stack(slice(lowest, None), "upper") if lowest < config.num_layers else None
        ),
        deep_output=_deep_output(config, start),
        output_state=config.output_state,
        dropout=config.dropout,
        variational_dropout=config.variational_dropout,
        stage=None if stages is None else stages[lowest - 1],
        name="decoder",
    )


def _deep_output(config: ModelConfig, start: Initializers) -> DeepOutput | None:
    # Luong et al.'s attentional layer is part of what attends.
    if config.deep_output == "none" or attends_with_new_state(config):
        return None
    return DeepOutput(
        config.output_size, config.deep_output, name="output", **start.dense()
    )


def _attending_layers(config: ModelConfig) -> int:
    """Returns how many layers, from the lowest up, are in the loop that attends."""
    attends = config.attention != "last_state"
    return 1 if attends and config.attention_layer == "bottom" else config.num_layers


def _stack(
    config: ModelConfig,
    start: Initializers,
    num_layers: int,
    placed: dict[str, Any],
    name: str,
) -> keras.layers.Layer:
    return STACKS[config.cell](
        config.hidden_size,
        num_layers,
        dropout=config.dropout,
        variational_dropout=config.variational_dropout,
        residual=config.residual,
        layer_norm=config.layer_norm,
        name=name,
        **placed,
        **start.recurrent(config.cell),
    )


def _attending(
    config: ModelConfig, stack: keras.layers.Layer, start: Initializers
) -> keras.layers.Layer:
    if config.attention == "last_state":
        size = (1 + config.bidirectional) * config.hidden_size
        return FixedContext(stack, size, name="context")
    if not attends_with_new_state(config):
        return AttentionWrapper(stack, _attention(config, start), name="attending")
    return AttentionWrapper(
        stack,
        _attention(config, start),
        query="new",
        attention_size=config.output_size,
        input_feeding=config.input_feeding,
        attention_initializer=fresh(start.kernel),
        name="attending",
    )


def _attention(config: ModelConfig, start: Initializers) -> keras.layers.Layer:
    kind, _, score = config.attention.partition("_")
    if kind == "luong":
        return LuongAttention(score, fresh(start.alignment_kernel), name="attention")
    normalize = config.attention == "normalized_bahdanau"
    return BahdanauAttention(
        config.attention_size,
        normalize,
        query_initializer=fresh(start.alignment_kernel),
        memory_initializer=fresh(start.alignment_kernel),
        # A vector of zeros has no direction.
        energy_initializer="glorot_uniform" if normalize else start.energy_vector,
        name="attention",
    )
