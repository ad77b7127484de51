"""Additive attention, as a Keras layer."""

from typing import Any

import keras
import tensorflow as tf

from nmt.layers.attention_memory import (
    AttentionMemory,
    annotations_shape,
    masked_annotations,
)
from nmt.layers.attention_step import AttentionTensors, attend
from nmt.layers.matrix_product import product


@keras.saving.register_keras_serializable(package="nmt")
class BahdanauAttention(keras.layers.Layer):
    """Aligns decoder states with the source and averages the annotations.

    For query s and annotations h_1 ... h_S (Bahdanau et al., 2015, eqs. 5-6 and
    appendix A.1.2):

        e_j = v_a . tanh(W_a s + U_a h_j)              energy
        alpha_j = exp(e_j) / sum_k exp(e_k)            alignment
        c = sum_j alpha_j h_j                          context

    W_a is `query_kernel`, U_a `memory_kernel`, v_a `energy_vector`. U_a h_j does not
    depend on the query: `build_memory` computes it once a sentence. With `normalize`
    (Salimans and Kingma, 2016, arXiv:1602.07868, as in tensorflow/nmt), v_a is
    g v / |v| and a bias b joins the sum inside tanh; g is `energy_scale`, b `bias`.

    Time order: the paper attends with the *previous* state s_{i-1} and then computes
    s_i. This layer only sees `query`; `AttentionWrapper` chooses the order and says so.

    Masking: padded positions get an alignment of exactly zero, and what they hold has
    no effect. A row of padding alone gets alignments and a context of zero, and finite
    gradients. Energies are computed in float32 in mixed precision.

    Not to be confused with `keras.layers.AdditiveAttention`, which has no W_a and U_a.

    Args:
        units: Width of the hidden layer of the alignment model (n' in the paper).
        normalize: Whether v_a is normalised.
        query_initializer: For W_a; the paper draws it and U_a from N(0, 0.001^2).
        memory_initializer: For U_a.
        energy_initializer: For v_a; the paper starts it at zero, so that the first
            alignments are uniform. With `normalize` it must not be zero.
        **kwargs: As for `keras.layers.Layer`.

    Call arguments:
        query: s, float, `[batch, hidden]`, or `[batch, target_len, hidden]` for many
            queries at once.
        memory: From `build_memory`; or the annotations themselves,
            `[batch, source_len, annotation]`.
        memory_mask: bool, `[batch, source_len]`, for annotations; True marks a word.
            Keras fills it in from an embedding with `mask_zero`.

    Returns:
        context: float, `[batch, annotation]`, or `[batch, target_len, annotation]`.
        alignments: float32, `[batch, source_len]`, or with `target_len` before it; each
            row sums to one.

    Example:
        >>> attention = BahdanauAttention(units=8)
        >>> memory = attention.build_memory(tf.ones([2, 5, 6]))
        >>> context, alignments = attention(tf.ones([2, 4]), memory)
        >>> context.shape, alignments.shape
        (TensorShape([2, 6]), TensorShape([2, 5]))
    """

    def __init__(
        self,
        units: int,
        normalize: bool = False,
        query_initializer: Any = "glorot_uniform",
        memory_initializer: Any = "glorot_uniform",
        energy_initializer: Any = "glorot_uniform",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        self.units = units
        self.normalize = normalize
        self.query_initializer = keras.initializers.get(query_initializer)
        self.memory_initializer = keras.initializers.get(memory_initializer)
        self.energy_initializer = keras.initializers.get(energy_initializer)
        self.memory_layer = keras.layers.Dense(
            units,
            use_bias=False,
            kernel_initializer=self.memory_initializer,
            dtype=self.dtype_policy,
            name="memory",
        )

    def build(self, query_shape: Any, memory_shape: Any) -> None:
        """Creates the weights for `[..., hidden]` and `[..., annotation]`."""
        self._build_memory_layer(annotations_shape(memory_shape))
        self.query_kernel = self.add_weight(
            shape=(query_shape[-1], self.units),
            initializer=self.query_initializer,
            name="query_kernel",
        )
        self.energy_vector = self.add_weight(
            shape=(self.units,),
            initializer=self.energy_initializer,
            name="energy_vector",
        )
        if self.normalize:
            # The length that a vector drawn by Glorot has, or nearly so.
            one = keras.initializers.Constant(1.0)
            self.energy_scale = self.add_weight(
                shape=(), initializer=one, name="energy_scale"
            )
            self.bias = self.add_weight(
                shape=(self.units,), initializer="zeros", name="bias"
            )

    @property
    def memory_kernel(self) -> Any:
        """U_a, `[annotation, units]`."""
        return self.memory_layer.kernel

    def build_memory(
        self, annotations: tf.Tensor, mask: tf.Tensor | None = None
    ) -> AttentionMemory:
        """Computes what does not depend on the query.

        Args:
            annotations: h_j, float, `[batch, source_len, annotation]`.
            mask: bool, `[batch, source_len]`; True marks a word. None: all are words.
        """
        self._build_memory_layer(annotations.shape)
        annotations, mask = masked_annotations(annotations, mask, self.compute_dtype)
        kernel = tf.cast(self.memory_kernel, self.compute_dtype)
        return AttentionMemory(annotations, product(annotations, kernel), mask)

    def call(
        self, query: tf.Tensor, memory: Any, memory_mask: tf.Tensor | None = None
    ) -> tuple[tf.Tensor, tf.Tensor]:
        """Attends; see the class."""
        if not isinstance(memory, list | tuple):
            memory = self.build_memory(memory, memory_mask)
        tensors = self.tensors(AttentionMemory(*memory))
        query = tf.cast(query, self.compute_dtype)
        found = attend(product(query, tensors.query_kernel), tensors)
        return found.context, found.alignments

    def tensors(
        self, memory: AttentionMemory, context_kernel: tf.Tensor | None = None
    ) -> AttentionTensors:
        """Returns memory and weights as tensors in the compute type.

        Args:
            memory: From `build_memory`.
            context_kernel: What the context is multiplied by, if anything.
        """
        dtype = self.compute_dtype
        keys, vector = memory.keys, tf.cast(self.energy_vector, dtype)
        if self.normalize:
            scale = tf.cast(self.energy_scale, dtype)
            vector = scale * tf.math.l2_normalize(vector)
            keys += tf.cast(self.bias, dtype)
        kernel = tf.cast(self.query_kernel, dtype)
        return AttentionTensors(
            memory.annotations, keys, memory.mask, kernel, vector, context_kernel
        )

    def get_config(self) -> dict[str, Any]:
        """Returns the constructor's arguments."""
        serialize = keras.initializers.serialize
        return {
            **super().get_config(),
            "units": self.units,
            "normalize": self.normalize,
            "query_initializer": serialize(self.query_initializer),
            "memory_initializer": serialize(self.memory_initializer),
            "energy_initializer": serialize(self.energy_initializer),
        }

    def _build_memory_layer(self, shape: Any) -> None:
        if not self.memory_layer.built:
            self.memory_layer.build((None, None, shape[-1]))
