"""Every kind of attention layer, and the float64 formula that it has to follow."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from nmt.layers.bahdanau_attention import BahdanauAttention
from nmt.layers.luong_attention import LuongAttention
from tests.reference import attention

ANNOTATION, HIDDEN, UNITS = 4, 3, 6


class Kind(NamedTuple):
    """One kind.

    Attributes:
        make: From the arguments of `keras.layers.Layer` to the layer.
        formula: The reference, given query, annotations, mask and the layer's weights
            in float64, by name.
        hidden: Width of the queries.
    """

    make: Callable[..., Any]
    formula: Callable[..., tuple[np.ndarray, np.ndarray]]
    hidden: int = HIDDEN


def _bahdanau(*rows: np.ndarray, **w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return attention.bahdanau(*rows, w["query_kernel"], w["kernel"], w["energy_vector"])


def _normalised(*rows: np.ndarray, **w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    weights = (w["query_kernel"], w["kernel"], w["energy_vector"])
    return attention.normalised_bahdanau(
        *rows, *weights, float(w["energy_scale"]), w["bias"]
    )


def _luong(score: str) -> Callable[..., tuple[np.ndarray, np.ndarray]]:
    def formula(*rows: np.ndarray, **w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        scale = w.get("energy_scale")
        return attention.luong(
            *rows,
            score,
            w.get("memory_kernel"),
            None if scale is None else float(scale),
        )

    return formula


KINDS = {
    "bahdanau": Kind(lambda **options: BahdanauAttention(UNITS, **options), _bahdanau),
    "normalized": Kind(
        lambda **options: BahdanauAttention(UNITS, normalize=True, **options),
        _normalised,
    ),
    "dot": Kind(
        lambda **options: LuongAttention("dot", **options), _luong("dot"), ANNOTATION
    ),
    "general": Kind(
        lambda **options: LuongAttention("general", **options), _luong("general")
    ),
    "scaled": Kind(
        lambda **options: LuongAttention("scaled", **options), _luong("scaled")
    ),
}


def make(kind: str, **options: Any) -> Any:
    """Returns a layer whose weights are random."""
    layer = KINDS[kind].make(**options)
    layer.build((None, KINDS[kind].hidden), (None, None, ANNOTATION))
    draw_weights(layer)
    return layer


def draw_weights(layer: Any) -> None:
    """Gives a layer random weights, large enough for no two gates to be alike."""
    random = np.random.default_rng(0)
    layer.set_weights([random.normal(0, 0.7, w.shape) for w in layer.weights])


def weights_of(layer: Any) -> dict[str, np.ndarray]:
    """Returns the weights in float64, by name."""
    return {weight.name: np.array(weight, float) for weight in layer.weights}


def expected(
    kind: str, layer: Any, query: np.ndarray, annotations: np.ndarray, mask: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Returns the reference's context and alignments for one query a sentence."""
    rows = np.asarray(query, float), np.asarray(annotations, float), mask
    return KINDS[kind].formula(*rows, **weights_of(layer))
