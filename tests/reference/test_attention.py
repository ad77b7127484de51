"""The alignments' properties, and the energies against Keras' layers."""

from collections.abc import Callable

import keras
import numpy as np
import pytest

from tests.reference import attention
from tests.tolerance import assert_close

RANDOM = np.random.default_rng(5)
QUERY = RANDOM.normal(size=(3, 4))
ANNOTATIONS = RANDOM.normal(size=(3, 5, 4))
MASK = np.array([[1, 1, 1, 1, 1], [1, 1, 0, 0, 0], [0, 0, 0, 0, 0]], bool)
WIDE = attention.Alignment(
    RANDOM.normal(size=(4, 6)), RANDOM.normal(size=(4, 6)), RANDOM.normal(size=6)
)
W = RANDOM.normal(size=(4, 4))
B = RANDOM.normal(size=6)

Attend = Callable[[np.ndarray, np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]
KINDS: dict[str, Attend] = {
    "bahdanau": lambda *rows: attention.bahdanau(*rows, *WIDE),
    "normalised": lambda *rows: attention.normalised_bahdanau(*rows, *WIDE, 0.7, B),
    "dot": lambda *rows: attention.luong(*rows, "dot"),
    "general": lambda *rows: attention.luong(*rows, "general", W=W),
    "scaled": lambda *rows: attention.luong(*rows, "scaled", W=W, g=0.7),
}


def keras_attention(
    layer: keras.Layer, query: np.ndarray, keys: np.ndarray, scale: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """The first two sentences; the third has no words, which Keras does not allow."""
    rows = [query[:2, None], ANNOTATIONS[:2], keys[:2]]
    layer.build([value.shape for value in rows])
    layer.set_weights([] if scale is None else [scale])
    context, alignments = layer(rows, mask=[None, MASK[:2]], return_attention_scores=1)
    return (
        keras.ops.convert_to_numpy(context)[:, 0],
        keras.ops.convert_to_numpy(alignments)[:, 0],
    )


def test_masked_softmax_is_the_softmax_of_the_rest() -> None:
    energies = np.array([[0.0, np.log(3), 7.0], [1e4, -1e4, 9e4], [1.0, 2.0, 3.0]])
    mask = np.array([[1, 1, 0], [1, 1, 0], [0, 0, 0]], bool)
    expected = [[0.25, 0.75, 0], [1, 0, 0], [0, 0, 0]]
    assert_close(attention.masked_softmax(energies, mask), expected, "float64")


def test_bahdanau_is_additive_attention_of_projections() -> None:
    layer = keras.layers.AdditiveAttention(dtype="float64")
    theirs = keras_attention(layer, QUERY @ WIDE.W_a, ANNOTATIONS @ WIDE.U_a, WIDE.v_a)
    for ours, expected in zip(
        KINDS["bahdanau"](QUERY, ANNOTATIONS, MASK), theirs, strict=True
    ):
        assert_close(ours[:2], expected, "float64")


@pytest.mark.parametrize(
    ("kind", "keys", "scale"),
    [
        ("dot", ANNOTATIONS, None),
        ("general", ANNOTATIONS @ W, None),
        ("scaled", ANNOTATIONS @ W, np.array(0.7)),
    ],
)
def test_luong_is_dot_attention(
    kind: str, keys: np.ndarray, scale: np.ndarray | None
) -> None:
    layer = keras.layers.Attention(use_scale=scale is not None, dtype="float64")
    theirs = keras_attention(layer, QUERY, keys, scale)
    for ours, expected in zip(
        KINDS[kind](QUERY, ANNOTATIONS, MASK), theirs, strict=True
    ):
        assert_close(ours[:2], expected, "float64")


def test_normalised_vector_has_the_length_g() -> None:
    W_a, U_a, v_a = WIDE
    rows = (QUERY, ANNOTATIONS, MASK, W_a, U_a)
    length = np.linalg.norm(v_a)
    plain = attention.bahdanau(*rows, v_a)
    for factor in (1.0, 5.0):
        normal = attention.normalised_bahdanau(*rows, factor * v_a, length, 0 * B)
        assert_close(normal[1], plain[1], "float64")
    # The bias is that of the hidden layer: a constant part of the query does the same.
    one = np.ones((3, 1))
    longer = (np.hstack([QUERY, one]), *rows[1:3], np.vstack([W_a, B]), U_a)
    biased = attention.normalised_bahdanau(*rows, v_a, length, B)
    assert_close(biased[1], attention.bahdanau(*longer, v_a)[1], "float64")


def test_alignment_vector_of_zeros_gives_the_mean() -> None:
    context, alignments = attention.bahdanau(
        QUERY, ANNOTATIONS, MASK, WIDE.W_a, WIDE.U_a, 0 * WIDE.v_a
    )
    expected = [[0.2] * 5, [0.5, 0.5, 0, 0, 0], [0] * 5]
    assert_close(alignments, expected, "float64")
    assert_close(context[0], ANNOTATIONS[0].mean(0), "float64")
    assert_close(context[1], ANNOTATIONS[1, :2].mean(0), "float64")
    assert_close(context[2], np.zeros(4), "float64")


@pytest.mark.parametrize("kind", KINDS)
def test_padding_changes_nothing(kind: str) -> None:
    context, alignments = KINDS[kind](QUERY, ANNOTATIONS, MASK)
    wider = np.pad(ANNOTATIONS, [(0, 0), (0, 3), (0, 0)], constant_values=99)
    longer = KINDS[kind](QUERY, wider, np.pad(MASK, [(0, 0), (0, 3)]))
    assert_close(longer[0], context, "float64")
    assert_close(longer[1], np.pad(alignments, [(0, 0), (0, 3)]), "float64")
    assert_close(alignments.sum(-1), [1, 1, 0], "float64")


@pytest.mark.parametrize("kind", KINDS)
def test_words_and_sentences_may_change_places(kind: str) -> None:
    context, alignments = KINDS[kind](QUERY, ANNOTATIONS, MASK)
    rows, words = np.array([2, 0, 1]), np.array([3, 1, 4, 0, 2])
    moved = KINDS[kind](QUERY[rows], ANNOTATIONS[rows][:, words], MASK[rows][:, words])
    assert_close(moved[0], context[rows], "float64")
    assert_close(moved[1], alignments[rows][:, words], "float64")


def test_a_weight_that_would_be_ignored_is_refused() -> None:
    for kind, weights in [("dot", {"g": 2.0}), ("scaled", {}), ("additive", {})]:
        with pytest.raises(ValueError, match=r"additive|g for scaled"):
            attention.luong(QUERY, ANNOTATIONS, MASK, kind, **weights)
