"""Alignments and contexts in float64, for one query a sentence.

The query is `[batch, query]`, the annotations are `[batch, source_len, annotation]`,
the mask is `[batch, source_len]`. Returned are the context, `[batch, annotation]`, and
the alignments, `[batch, source_len]`. Every matrix is `[from, to]`.
"""

from typing import NamedTuple

import numpy as np


class Alignment(NamedTuple):
    """The alignment model of Bahdanau et al. (2015), without biases."""

    W_a: np.ndarray  # [query, attention]
    U_a: np.ndarray  # [annotation, attention]
    v_a: np.ndarray  # [attention]


def masked_softmax(energies: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Zero where the mask is False, also in a row that has nothing else."""
    energies = np.where(mask, energies, -np.inf)
    # Finite in every row, so that nothing is -inf - -inf.
    largest = energies.max(-1, keepdims=True, initial=np.finfo(float).min)
    weights = np.exp(energies - largest)
    total = weights.sum(-1, keepdims=True)
    return weights / np.where(total > 0, total, 1)


def attend(
    energies: np.ndarray, annotations: np.ndarray, mask: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """alpha = softmax(e) and c = sum_j alpha_j h_j."""
    alignments = masked_softmax(energies, mask)
    return np.einsum("bj,bja->ba", alignments, annotations), alignments


def bahdanau(
    query: np.ndarray,
    annotations: np.ndarray,
    mask: np.ndarray,
    W_a: np.ndarray,
    U_a: np.ndarray,
    v_a: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """e_j = v_a . tanh(W_a s + U_a h_j): appendix A.1.2 of the paper."""
    hidden = np.tanh((query @ W_a)[:, None] + annotations @ U_a)
    return attend(hidden @ v_a, annotations, mask)


def normalised_bahdanau(
    query: np.ndarray,
    annotations: np.ndarray,
    mask: np.ndarray,
    W_a: np.ndarray,
    U_a: np.ndarray,
    v_a: np.ndarray,
    g: float,
    b: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """e_j = g v_a / ||v_a|| . tanh(W_a s + U_a h_j + b).

    The weight normalisation of Salimans and Kingma (2016), eq. 2, of v_a alone.
    """
    v = g * v_a / np.sqrt((v_a**2).sum())
    hidden = np.tanh((query @ W_a)[:, None] + annotations @ U_a + b)
    return attend(hidden @ v, annotations, mask)


def luong(
    query: np.ndarray,
    annotations: np.ndarray,
    mask: np.ndarray,
    kind: str,
    W: np.ndarray | None = None,
    g: float | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Luong et al. (2015), arXiv:1508.04025, section 3.1, but for the scale g.

    dot: s . h_j; general: s . (W h_j) with W `[annotation, query]`; scaled, as in
    TensorFlow Addons: g (s . (W h_j)).
    """
    if kind not in {"dot", "general", "scaled"}:
        raise ValueError(kind)
    if (kind == "dot") != (W is None) or (kind == "scaled") != (g is not None):
        raise ValueError("W is for general and scaled, g for scaled")
    keys = annotations if W is None else annotations @ W
    energies = np.einsum("bq,bjq->bj", query, keys)
    return attend(energies if g is None else g * energies, annotations, mask)
