"""RNNsearch and RNNencdec in float64: one step of the decoder, and the loss.

Written from Bahdanau et al. (2015), appendix A, with biases. Padding is id 0 and stands
after each sentence; `<s>`, id 2, is the decoder's first input.

Without an alignment model it is RNNencdec: at every step the context is the state of
the encoder after its last word, of both directions where there are two.
"""

from typing import NamedTuple

import numpy as np

from tests.reference import attention, gru, maxout, softmax

PAD_ID, BOS_ID = 0, 2


class Parameters(NamedTuple):
    """All weights; every matrix is `[from, to]`."""

    source_embeddings: np.ndarray  # [vocabulary, embedding], of both directions
    forward: gru.Weights
    backward: gru.Weights | None
    W_s: np.ndarray  # [encoder state, decoder state]
    b_s: np.ndarray
    target_embeddings: np.ndarray
    alignment: attention.Alignment | None
    decoder: gru.Weights  # W is [embedding + annotation, 3 * hidden], in this order
    deep_output: maxout.Weights
    W_o: np.ndarray  # [maxout, vocabulary]
    b_o: np.ndarray


class Step(NamedTuple):
    logits: np.ndarray
    s: np.ndarray
    context: np.ndarray
    alignments: np.ndarray | None


def encode(
    parameters: Parameters, source: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Returns the annotations, their mask and s_0."""
    p, mask = parameters, source != PAD_ID
    x, start = p.source_embeddings[source], np.zeros((len(source), len(p.forward.U)))
    annotations = gru.sequence(x, start, p.forward, mask)[:, 1:]
    last = annotations[:, -1]
    if p.backward is not None:
        start = np.zeros((len(source), len(p.backward.U)))
        backward = gru.sequence_reversed(x, start, p.backward, mask)[:, :-1]
        annotations = np.concatenate([annotations, backward], -1)
        last = backward[:, 0]
    return annotations, mask, np.tanh(last @ p.W_s + p.b_s)


def last_state(parameters: Parameters, annotations: np.ndarray) -> np.ndarray:
    """[forward h_T ; backward h_1], the context of RNNencdec."""
    n = len(parameters.forward.U)
    return np.concatenate([annotations[:, -1, :n], annotations[:, 0, n:]], -1)


def decoder_step(
    parameters: Parameters,
    y_prev: np.ndarray,
    s_prev: np.ndarray,
    annotations: np.ndarray,
    mask: np.ndarray,
) -> Step:
    """From y_(i-1), `[batch]`, and s_(i-1): the query and the deep output's state."""
    p, embedding = parameters, parameters.target_embeddings[y_prev]
    context, alignments = last_state(p, annotations), None
    if p.alignment is not None:
        context, alignments = attention.bahdanau(
            s_prev, annotations, mask, *p.alignment
        )
    s = gru.cell(np.concatenate([embedding, context], -1), s_prev, p.decoder)
    t = maxout.deep_output(s_prev, embedding, context, p.deep_output)
    return Step(maxout.logits(t, p.W_o, p.b_o), s, context, alignments)


def loss(
    parameters: Parameters,
    source: np.ndarray,
    target: np.ndarray,
    smoothing: float = 0.0,
) -> float:
    """Nats summed over all target tokens of the batch."""
    annotations, mask, s = encode(parameters, source)
    total, y_prev = 0.0, np.full(len(target), BOS_ID)
    for y in target.T:
        step = decoder_step(parameters, y_prev, s, annotations, mask)
        nats = softmax.cross_entropy(step.logits, y, smoothing)
        total += nats[y != PAD_ID].sum()
        y_prev, s = y, step.s
    return total
