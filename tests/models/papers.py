"""RNNsearch and RNNencdec as models that have the weights of the float64 reference."""

import dataclasses

import numpy as np

from nmt.models import Seq2Seq, build_model
from tests.configs.loading import load
from tests.reference import gru, rnnsearch

# Both sides repeat words, and end at different places.
SOURCE = np.array([[5, 4, 4, 3], [4, 3, 0, 0], [3, 0, 0, 0]], np.int32)
TARGET = np.array([[4, 6, 3], [5, 3, 0], [4, 3, 0]], np.int32)


def paper_model(parameters: rnnsearch.Parameters) -> Seq2Seq:
    """Builds the configuration of the paper in the sizes of the parameters."""
    name = "encdec" if parameters.alignment is None else "search"
    source_size, embedding_size = parameters.source_embeddings.shape
    output_size, target_size = parameters.W_o.shape
    config = dataclasses.replace(
        load(f"bahdanau15_{name}").model,
        embedding_size=embedding_size,
        hidden_size=len(parameters.W_s),
        output_size=output_size,
        bidirectional=parameters.backward is not None,
    )
    if parameters.alignment is not None:
        config.attention_size = len(parameters.alignment.v_a)
    model = build_model(config, source_size, target_size)
    set_weights(model, parameters)
    return model


def set_weights(model: Seq2Seq, parameters: rnnsearch.Parameters) -> None:
    named = named_arrays(parameters)
    assert len(named) == len(model.weights)
    for weight in model.weights:
        weight.assign(named[weight.path])


def named_arrays(parameters: rnnsearch.Parameters) -> dict[str, np.ndarray]:
    """Returns weights, or what is added to them, by the paths of the model's."""
    p = parameters
    named = {
        "encoder/embedding/embeddings": p.source_embeddings,
        "decoder/embedding/embeddings": p.target_embeddings,
        "decoder/bridge/projection_0/kernel": p.W_s,
        "decoder/bridge/projection_0/bias": p.b_s,
        "decoder/output/kernel": np.concatenate(p.deep_output[:3]),
        "decoder/output/bias": p.deep_output.b,
        "decoder/projection/kernel": p.W_o,
        "decoder/projection/bias": p.b_o,
    }
    if p.backward is None:
        named |= _cell("encoder/stack", p.forward)
    else:
        named |= _cell("encoder/stack/forward_0", p.forward)
        named |= _cell("encoder/stack/backward_0", p.backward)
    if p.alignment is None:
        named |= _cell("decoder/context/lowest", p.decoder)
    else:
        named |= _cell("decoder/attending/lowest", p.decoder)
        attention = "decoder/attending/attention"
        named[f"{attention}/query_kernel"] = p.alignment.W_a
        named[f"{attention}/memory/kernel"] = p.alignment.U_a
        named[f"{attention}/energy_vector"] = p.alignment.v_a
    return {f"seq2seq/{path}": array for path, array in named.items()}


def _cell(path: str, weights: gru.Weights) -> dict[str, np.ndarray]:
    """Turns the sign of z: Keras' z multiplies the old state, the paper's the new."""
    packed = []
    for array in weights:
        update, others = np.split(array, [array.shape[-1] // 3], axis=-1)
        packed.append(np.concatenate([-update, others], axis=-1))
    names = ("kernel", "recurrent_kernel", "bias")
    return {
        f"{path}/gru_0/gru_cell/{name}": array
        for name, array in zip(names, packed, strict=True)
    }
