"""A recurrent cell with attention in float64, for any cell and any attention.

Query `previous`, Bahdanau et al. (2015), appendix A.2.2: c_i looks with s_(i-1), and
s_i = cell([x_i ; c_i], s_(i-1)).

Query `new`, Luong et al. (2015), section 3: s_i = cell([x_i ; a_(i-1)], s_(i-1)), and
c_i looks with s_i. Their section 3.3 calls it input feeding.

With W_c, a_i = tanh(W_c [c_i ; s_i]), Luong's eq. 5, and is the output; without it, a_i
is c_i, and the output is the cell's.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

# Input and state to output and state.
Cell = Callable[[np.ndarray, Any], tuple[np.ndarray, Any]]
# Query to context and alignments.
Attend = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


class Unrolled(NamedTuple):
    outputs: np.ndarray  # [batch, target_len, output]
    contexts: np.ndarray  # [batch, target_len, annotation]
    alignments: np.ndarray  # [batch, target_len, source_len]
    state: Any  # of the cell, after the last step
    attentional: np.ndarray  # a_T, [batch, attentional]


def attentional_vector(
    context: np.ndarray, output: np.ndarray, W_c: np.ndarray | None
) -> np.ndarray:
    """a_i, with W_c `[annotation + output, attentional]`."""
    if W_c is None:
        return context
    return np.tanh(np.concatenate([context, output], -1) @ W_c)


def unroll(
    cell: Cell,
    attend: Attend,
    query_of: Callable[[Any], np.ndarray],
    inputs: np.ndarray,
    state: Any,
    query: str,
    W_c: np.ndarray | None = None,
    attentional: np.ndarray | None = None,
    feed: bool = True,
) -> Unrolled:
    """Runs the cell over `[batch, target_len, input]`.

    `query_of(state)` is what looks. `attentional` is a_0, zeros unless given; only the
    query `new` feeds it. Without `feed` the cell reads x_i alone.
    """
    if query not in {"previous", "new"}:
        raise ValueError(query)
    if attentional is None:
        context, _ = attend(query_of(state))
        width = context.shape[-1] if W_c is None else W_c.shape[-1]
        attentional = np.zeros((len(inputs), width))
    steps = []
    for x in np.moveaxis(inputs, 1, 0):
        if query == "previous":
            context, alignments = attend(query_of(state))
        fed = context if query == "previous" else attentional
        output, state = cell(np.concatenate([x, fed], -1) if feed else x, state)
        if query == "new":
            context, alignments = attend(query_of(state))
        attentional = attentional_vector(context, output, W_c)
        steps.append((output if W_c is None else attentional, context, alignments))
    outputs, contexts, history = (
        np.stack(part, 1) for part in zip(*steps, strict=True)
    )
    return Unrolled(outputs, contexts, history, state, attentional)
