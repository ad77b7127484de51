"""The LSTM paper's encoder and decoder in float64: loss and gradients by hand.

Written from Sutskever et al. (2014), section 2. Padding is id 0 and stands after each
sentence; `<s>`, id 2, is the decoder's first input.
"""

from typing import NamedTuple

import numpy as np

from tests.reference import lstm, softmax

PAD_ID, BOS_ID = 0, 2


class Parameters(NamedTuple):
    """All weights, or all gradients."""

    source_embeddings: np.ndarray
    target_embeddings: np.ndarray
    encoder: list[lstm.Weights]
    decoder: list[lstm.Weights]
    projection: np.ndarray
    projection_bias: np.ndarray


class Run(NamedTuple):
    """What a stack of layers read, and the states it went through, layer by layer."""

    inputs: list[np.ndarray]
    hidden: list[np.ndarray]
    cell: list[np.ndarray]


def run(
    x: np.ndarray,
    state: list[tuple[np.ndarray, np.ndarray]],
    layers: list[lstm.Weights],
    mask: np.ndarray,
) -> Run:
    trace = Run([], [], [])
    for (h, c), weights in zip(state, layers, strict=True):
        hs, cs = lstm.sequence(x, h, c, weights, mask)
        for values, value in zip(trace, (x, hs, cs), strict=True):
            values.append(value)
        x = hs[:, 1:]
    return trace


def run_backward(
    trace: Run,
    layers: list[lstm.Weights],
    mask: np.ndarray,
    dx: np.ndarray,
    dstate: list[tuple[np.ndarray, np.ndarray]],
) -> tuple[np.ndarray, list[lstm.Weights], list[tuple[np.ndarray, np.ndarray]]]:
    """From the gradients of the outputs and of the last state of each layer."""
    dlayers, dstart = [], []
    for layer in reversed(range(len(layers))):
        dh, dc = dstate[layer]
        dhs = dx.copy()
        dhs[:, -1] += dh
        gradients = lstm.sequence_backward(
            *(values[layer] for values in trace), layers[layer], mask, dhs, dc
        )
        dx = gradients.inputs
        dlayers.insert(0, gradients.weights)
        dstart.insert(0, (gradients.hidden, gradients.cell))
    return dx, dlayers, dstart


def loss_and_gradients(
    parameters: Parameters,
    source: np.ndarray,
    target: np.ndarray,
    smoothing: float = 0.0,
) -> tuple[float, Parameters]:
    """Nats summed over all target tokens of the batch, and their gradient."""
    p, mask = parameters, source != PAD_ID
    width = p.encoder[0].U.shape[0]
    zeros = [(np.zeros((len(source), width)),) * 2 for _ in p.encoder]
    inputs = np.concatenate([np.full_like(target[:, :1], BOS_ID), target[:, :-1]], 1)

    reader = run(p.source_embeddings[source], zeros, p.encoder, mask)
    start = [(h[:, -1], c[:, -1]) for h, c in zip(*reader[1:], strict=True)]
    everywhere = np.ones_like(target, bool)
    writer = run(p.target_embeddings[inputs], start, p.decoder, everywhere)
    hidden = writer.hidden[-1][:, 1:]

    real = target != PAD_ID
    logits = hidden[real] @ p.projection + p.projection_bias
    loss = softmax.cross_entropy(logits, target[real], smoothing).sum()

    dlogits = softmax.cross_entropy_backward(logits, target[real], smoothing)
    dhidden = np.zeros_like(hidden)
    dhidden[real] = dlogits @ p.projection.T
    no_state = [(np.zeros_like(h), np.zeros_like(c)) for h, c in start]
    dtarget, ddecoder, dstart = run_backward(
        writer, p.decoder, everywhere, dhidden, no_state
    )
    unread = np.zeros_like(reader.hidden[-1][:, 1:])
    dsource, dencoder, _ = run_backward(reader, p.encoder, mask, unread, dstart)
    dprojection = hidden[real].T @ dlogits
    gradients = Parameters(
        source_embeddings=scatter(p.source_embeddings, source, dsource),
        target_embeddings=scatter(p.target_embeddings, inputs, dtarget),
        encoder=dencoder,
        decoder=ddecoder,
        projection=dprojection,
        projection_bias=dlogits.sum(0),
    )
    return loss, gradients


def scatter(table: np.ndarray, ids: np.ndarray, drows: np.ndarray) -> np.ndarray:
    """Adds the gradient of every row that was looked up."""
    dtable = np.zeros_like(table)
    np.add.at(dtable, ids, drows)
    return dtable
