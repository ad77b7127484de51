"""Multiplicative attention, as a Keras layer."""

from typing import Any

import keras
import tensorflow as tf

from nmt.layers.attention_memory import (
    AttentionMemory,
    annotations_shape,
    masked_annotations,
)
from nmt.layers.attention_step import masked_softmax, weighted_sum, wide
from nmt.layers.matrix_product import product

_SCORES = ("dot", "general", "scaled")


@keras.saving.register_keras_serializable(package="nmt")
class LuongAttention(keras.layers.Layer):
    """Aligns decoder states with the source by their product with the annotations.

    For query s and annotations h_1 ... h_S (Luong et al., 2015, arXiv:1508.04025, eqs.
    7-8):

        e_j = s . h_j            dot
        e_j = s . (W h_j)        general
        e_j = g (s . (W h_j))    scaled, g a number that is learnt, 1 at first
        alpha = softmax(e),  c = sum_j alpha_j h_j

    W is `memory_kernel`, g `energy_scale`. `scaled` is not in the paper: TensorFlow
    Addons' `LuongAttention(scale=True)` and tensorflow/nmt's `scaled_luong` have it.

    Time order: the paper attends with the *new* state. This layer only sees `query`;
    `AttentionWrapper` chooses the order and says so.

    Masking: padded positions get an alignment of exactly zero, and what they hold has
    no effect. A row of padding alone gets alignments and a context of zero, and finite
    gradients. Energies are computed in float32 in mixed precision.

    Args:
        score: `dot`, `general` or `scaled`.
        memory_initializer: For W.
        **kwargs: As for `keras.layers.Layer`.

    Call arguments:
        query: s, float, `[batch, hidden]`, or `[batch, target_len, hidden]` for many
            queries at once.
        memory: From `build_memory`; or, once the layer is built, the annotations
            themselves, `[batch, source_len, annotation]`.
        memory_mask: bool, `[batch, source_len]`, for annotations; True marks a word.
            Keras fills it in from an embedding with `mask_zero`.

    Returns:
        context: float, `[batch, annotation]`, or `[batch, target_len, annotation]`.
        alignments: float32, `[batch, source_len]`, or with `target_len` before it; each
            row sums to one.

    Raises:
        ValueError: `score` is unknown; or it is `dot` and queries and annotations have
            different widths.

    Example:
        >>> attention = LuongAttention("general")
        >>> context, alignments = attention(tf.ones([2, 3, 4]), tf.ones([2, 5, 6]))
        >>> context.shape, alignments.shape
        (TensorShape([2, 3, 6]), TensorShape([2, 3, 5]))
    """

    def __init__(
        self,
        score: str = "general",
        memory_initializer: Any = "glorot_uniform",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        if score not in _SCORES:
            raise ValueError(f"score must be one of {_SCORES}, got {score!r}")
        self.score = score
        self.memory_initializer = keras.initializers.get(memory_initializer)

    def build(self, query_shape: Any, memory_shape: Any) -> None:
        """Creates the weights for `[..., hidden]` and `[..., annotation]`."""
        hidden, annotation = query_shape[-1], annotations_shape(memory_shape)[-1]
        if self.score == "dot":
            if hidden != annotation:
                raise ValueError(
                    f"score='dot' needs queries as wide as the annotations, got "
                    f"{hidden} and {annotation}; use score='general'"
                )
            return
        self.memory_kernel = self.add_weight(
            shape=(annotation, hidden),
            initializer=self.memory_initializer,
            name="memory_kernel",
        )
        if self.score == "scaled":
            self.energy_scale = self.add_weight(
                shape=(), initializer="ones", name="energy_scale"
            )

    def build_memory(
        self, annotations: tf.Tensor, mask: tf.Tensor | None = None
    ) -> AttentionMemory:
        """Computes what does not depend on the query, once the layer is built.

        Args:
            annotations: h_j, float, `[batch, source_len, annotation]`.
            mask: bool, `[batch, source_len]`; True marks a word. None: all are words.

        Raises:
            ValueError: the layer is not built: the width of W is that of the queries.
        """
        if not self.built:
            raise ValueError(
                "call build(query_shape, memory_shape) first: W is as wide as queries"
            )
        annotations, mask = masked_annotations(annotations, mask, self.compute_dtype)
        keys = annotations
        if self.score != "dot":
            kernel = tf.cast(self.memory_kernel, self.compute_dtype)
            keys = product(annotations, kernel)
        if self.score == "scaled":
            keys *= tf.cast(self.energy_scale, self.compute_dtype)
        return AttentionMemory(annotations, keys, mask)

    def call(
        self, query: tf.Tensor, memory: Any, memory_mask: tf.Tensor | None = None
    ) -> tuple[tf.Tensor, tf.Tensor]:
        """Attends; see the class."""
        if not isinstance(memory, list | tuple):
            memory = self.build_memory(memory, memory_mask)
        annotations, keys, mask = memory
        dtype = wide(self.compute_dtype)
        keys, query = tf.cast(keys, dtype), tf.cast(query, dtype)
        if query.shape.rank == 3:
            energies = tf.matmul(query, keys, transpose_b=True)
            alignments = masked_softmax(energies, mask[:, tf.newaxis])
        else:
            alignments = masked_softmax(tf.linalg.matvec(keys, query), mask)
        return weighted_sum(alignments, annotations), alignments

    def get_config(self) -> dict[str, Any]:
        """Returns the constructor's arguments."""
        initializer = keras.initializers.serialize(self.memory_initializer)
        return {
            **super().get_config(),
            "score": self.score,
            "memory_initializer": initializer,
        }
