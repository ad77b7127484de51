"""A recurrent decoder that attends at every step."""

from typing import Any

import keras
import tensorflow as tf

from nmt.layers.attention_cell import AttentionCell, in_form_of
from nmt.layers.attention_loop import hoisted_loop, plain_loop, quick_loop
from nmt.layers.attention_memory import AttentionMemory, annotations_shape
from nmt.layers.attention_state import AttentionOutputs, AttentionState
from nmt.layers.attention_step import wide
from nmt.layers.bahdanau_attention import BahdanauAttention
from nmt.layers.matrix_product import product
from nmt.layers.sentence_rows import attend_from_rows


@keras.saving.register_keras_serializable(package="nmt")
class AttentionWrapper(keras.layers.Layer):
    """Puts attention around any Keras RNN cell, or a deep stack.

    With inputs x_1 ... x_T, the cell's output o_i and state s_i, whose top hidden part
    is the query, and h_1 ... h_S the annotations, one of two orders in time. With
    `query="previous"` (Bahdanau et al., 2015, appendix A.1.2) the query is the state
    *before* the step, and the context is input to the step:

        c_i = attention(s_{i-1}, h)
        o_i, s_i = cell([x_i ; c_i], s_{i-1})
        output o_i

    With `query="new"` (Luong et al., 2015, arXiv:1508.04025, section 3) it is the
    state *after* the step:

        o_i, s_i = cell([x_i ; a_{i-1}], s_{i-1})
        c_i = attention(o_i, h)
        a_i = tanh(W_c [c_i ; o_i]), or c_i without `attention_size`
        output a_i, or o_i without `attention_size`

    where a_0 = 0. The cell reads a_{i-1} with `input_feeding` (the paper's section 3.3,
    and what TensorFlow Addons did); without it, it reads x_i alone.

    All positions of a known target (`call`) and one step of a search (`step`) are the
    same code. For `query="previous"`, `BahdanauAttention`, and an LSTM or GRU cell (or
    a stack of one layer) with Keras' standard activations, `call` runs a quicker loop
    with a backward pass of its own, to the same numbers; with `query="new"` and no
    input feeding, a stack runs first and all positions attend at once.

    Masking: a masked input step leaves the state as it is; outputs there mean nothing.
    For the memory's mask see the attention layers.

    Args:
        cell: A Keras RNN cell, `keras.layers.StackedRNNCells`, `LSTMStack` or
            `GRUStack`.
        attention: `BahdanauAttention`, `LuongAttention`, or a layer with their
            `build_memory` and `call` (of many queries at once).
        query: `previous` or `new`.
        attention_size: Width of a_i, for `query="new"`; None: no such layer.
        input_feeding: Whether the cell reads a_{i-1}, for `query="new"`.
        kernel: `auto`: the quicker loop where there is one; `plain`: never.
        attention_initializer: For W_c.
        **kwargs: As for `keras.layers.Layer`.

    Call arguments:
        inputs: x, float, `[batch, target_len, input]`.
        memory: `AttentionMemory` from the attention's `build_memory`; or the
            annotations themselves, `[batch, source_len, annotation]`.
        initial_state: s_0, in the form of the cell's states, or an `AttentionState` to
            go on from; None: zeros.
        inputs_mask: bool, `[batch, target_len]`; True marks a valid step.
        memory_mask: bool, `[batch, source_len]`, for annotations. Keras fills in both
            masks from embeddings with `mask_zero`.
        training: Whether the cell's dropout applies.

    Returns:
        `AttentionOutputs`: outputs, contexts, alignments of all steps, and the state.

    Raises:
        ValueError: an argument is none of those it can be, or `attention_size` comes
            with `query="previous"`.

    Example:
        >>> cell = keras.layers.GRUCell(4, reset_after=False)
        >>> wrapper = AttentionWrapper(cell, BahdanauAttention(8), query="previous")
        >>> outputs = wrapper(tf.ones([2, 3, 5]), tf.ones([2, 7, 6]))
        >>> outputs.outputs.shape, outputs.alignments.shape
        (TensorShape([2, 3, 4]), TensorShape([2, 3, 7]))

        One step at a time, to the same numbers:

        >>> memory = wrapper.attention.build_memory(tf.ones([2, 7, 6]))
        >>> state = wrapper.get_initial_state(memory)
        >>> output, state = wrapper.step(tf.ones([2, 5]), state, memory)
        >>> bool(tf.reduce_all(abs(output - outputs.outputs[:, 0]) < 1e-6))
        True
    """

    def __init__(
        self,
        cell: Any,
        attention: Any,
        query: str = "previous",
        attention_size: int | None = None,
        input_feeding: bool = True,
        kernel: str = "auto",
        attention_initializer: Any = "glorot_uniform",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        if query not in ("previous", "new"):
            raise ValueError(f"query must be 'previous' or 'new', got {query!r}")
        if kernel not in ("auto", "plain"):
            raise ValueError(f"kernel must be 'auto' or 'plain', got {kernel!r}")
        if query == "previous" and (attention_size or not input_feeding):
            raise ValueError(
                "attention_size and input_feeding are for query='new': with 'previous' "
                "the cell always reads the context, and its output is the output"
            )
        self.cell = cell
        self.attention = attention
        self.query = query
        self.attention_size = attention_size
        self.input_feeding = input_feeding
        self.kernel = kernel
        self.attention_initializer = keras.initializers.get(attention_initializer)
        for index, layer in enumerate(getattr(cell, "cells", ())):
            # tf.train.Checkpoint saves nothing of layers that are only in a list.
            setattr(self, f"cell_{index}", layer)

    @property
    def kernel_in_use(self) -> str:
        """The loop that `call` runs: `quick`, `hoisted` or `plain`."""
        if self.kernel == "plain":
            return "plain"
        inner = AttentionCell(self.cell)
        if self.query == "new":
            return "hoisted" if inner.is_stack and not self.input_feeding else "plain"
        additive = type(self.attention) is BahdanauAttention
        return "quick" if additive and inner.quick() is not None else "plain"

    @property
    def kernels_in_use(self) -> tuple[str, ...]:
        """The time loops that `call` runs: its own, or those of a hoisted stack."""
        kernel = self.kernel_in_use
        return self.cell.kernels_in_use if kernel == "hoisted" else (kernel,)

    @property
    def fed_size(self) -> int:
        """Width of what the cell reads beside the inputs."""
        return self._attention_width if self.input_feeding else 0

    def build(self, inputs_shape: Any, memory_shape: Any) -> None:
        """Creates the weights for `[..., input]` and `[..., annotation]`."""
        memory_shape = annotations_shape(memory_shape)
        self._attention_width = self.attention_size or memory_shape[-1]
        inner = AttentionCell(self.cell)
        inner.build(inputs_shape[-1] + self.fed_size)
        if not self.attention.built:
            self.attention.build((None, inner.output_size), memory_shape)
        if self.attention_size:
            self.attention_kernel = self.add_weight(
                shape=(memory_shape[-1] + inner.output_size, self.attention_size),
                initializer=self.attention_initializer,
                name="attention_kernel",
            )
        self.built = True

    def get_initial_state(
        self, memory: AttentionMemory, cell_state: Any = None
    ) -> AttentionState:
        """Returns the state before the first step, once the layer is built.

        Args:
            memory: What will be attended to.
            cell_state: s_0, or an `AttentionState` to go on from; None: zeros.
        """
        batch = tf.shape(memory.mask)[0]
        zeros = AttentionState(
            self.cell.get_initial_state(batch_size=batch),
            tf.zeros([batch, self._attention_width], self.compute_dtype),
            tf.zeros(tf.shape(memory.mask), wide(self.compute_dtype)),
        )
        if cell_state is None:
            return zeros
        # An AttentionState may be a list, from a file, and all of the compute type.
        if len(tf.nest.flatten(cell_state)) == len(tf.nest.flatten(zeros)):
            return in_form_of(zeros, cell_state)
        return zeros._replace(cell=in_form_of(zeros.cell, cell_state))

    def call(
        self,
        inputs: tf.Tensor,
        memory: Any,
        initial_state: Any = None,
        inputs_mask: tf.Tensor | None = None,
        memory_mask: tf.Tensor | None = None,
        training: bool = False,
    ) -> AttentionOutputs:
        """Runs over all steps; see the class."""
        if not isinstance(memory, list | tuple):
            memory = self.attention.build_memory(memory, memory_mask)
        memory = AttentionMemory(*memory)
        inputs = tf.cast(inputs, self.compute_dtype)
        state = self.get_initial_state(memory, initial_state)
        loops = {"quick": quick_loop, "hoisted": hoisted_loop, "plain": plain_loop}
        loop = loops[self.kernel_in_use]
        return loop(self, inputs, memory, state, inputs_mask, training)

    def step(
        self, inputs: tf.Tensor, state: AttentionState, memory: AttentionMemory
    ) -> tuple[tf.Tensor, AttentionState]:
        """Runs one step without dropout, once the layer is built.

        Args:
            inputs: x_i, `[rows, input]`.
            state: From `get_initial_state`, or from the step before, `[rows, ...]`.
            memory: What is attended to, `[sentences, ...]`. There are k rows a
                sentence, one after the other: its hypotheses in a search. k follows
                from the shapes, and the memory is not repeated.

        Returns:
            output: `[rows, output]`.
            state: The next state.
        """
        output, _, state = self.advance(inputs, state, memory)
        return output, state

    def advance(
        self,
        inputs: tf.Tensor,
        state: AttentionState,
        memory: AttentionMemory,
        masks: Any = None,
        training: bool = False,
    ) -> tuple[tf.Tensor, tf.Tensor, AttentionState]:
        """Runs one step, dropout included: what `step` and the plain loop share.

        Args:
            inputs: x_i, `[rows, input]`.
            state: The state before.
            memory: What is attended to, `[sentences, ...]`, see `step`.
            masks: Dropout of the step, for a stack.
            training: Whether dropout of Keras' cells applies.

        Returns:
            Output, context and next state.
        """
        inner, inputs = AttentionCell(self.cell), tf.cast(inputs, self.compute_dtype)
        if self.query == "previous":
            query = inner.hidden(state.cell, masks)
            context, alignments = attend_from_rows(self.attention, query, memory)
            fed = tf.concat([inputs, context], axis=-1)
            output, cell = inner.advance(fed, state.cell, masks, training)
            return output, context, AttentionState(cell, context, alignments)
        if self.input_feeding:
            inputs = tf.concat([inputs, state.attention], axis=-1)
        output, cell = inner.advance(inputs, state.cell, masks, training)
        context, alignments = attend_from_rows(self.attention, output, memory)
        output, fed = self.attentional(output, context)
        return output, context, AttentionState(cell, fed, alignments)

    def attentional(
        self, output: tf.Tensor, context: tf.Tensor
    ) -> tuple[tf.Tensor, tf.Tensor]:
        """Returns the wrapper's output and a_i, for `query="new"`.

        Args:
            output: o_i, `[..., hidden]`.
            context: c_i, `[..., annotation]`.
        """
        if not self.attention_size:
            return output, context
        kernel = tf.cast(self.attention_kernel, self.compute_dtype)
        both = tf.concat([context, output], axis=-1)
        attention = tf.tanh(product(both, kernel))
        return attention, attention

    def get_config(self) -> dict[str, Any]:
        """Returns the constructor's arguments."""
        serialize = keras.saving.serialize_keras_object
        return {
            **super().get_config(),
            "cell": serialize(self.cell),
            "attention": serialize(self.attention),
            "query": self.query,
            "attention_size": self.attention_size,
            "input_feeding": self.input_feeding,
            "kernel": self.kernel,
            "attention_initializer": keras.initializers.serialize(
                self.attention_initializer
            ),
        }

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> "AttentionWrapper":
        """Makes the layer that `get_config` describes."""
        load = keras.saving.deserialize_keras_object
        inner = {name: load(config[name]) for name in ("cell", "attention")}
        return cls(**{**config, **inner})
