"""The decoder that looks at the source at every position."""

from typing import Any, NamedTuple

import keras
import tensorflow as tf

from nmt.data.vocabulary import PAD_ID
from nmt.distribution import placed, variables_on
from nmt.layers import AttentionState, AttentionWrapper, Logits
from nmt.models.encoder import DecoderOutputs, DecoderStart, Encoding
from nmt.models.word_layers import tables_of

# The arguments that are layers.
_PARTS = ("embedding", "bridge", "attending", "projection", "upper", "deep_output")


class AttentionDecoderState(NamedTuple):
    """What the decoder knows before a step.

    Attributes:
        attention: State of the layers that attend, see `AttentionState`.
        upper: States of the layers above them, lowest first.
    """

    attention: AttentionState
    upper: tuple[Any, ...]


@keras.saving.register_keras_serializable(package="nmt")
class AttentionDecoder(keras.layers.Layer):
    """A language model of the target that reads a context of the source at every step.

    With embedding E, the attending layers, the layers above them and the deep output
    (Bahdanau et al., 2015, appendix A.2.2, has one layer of GRUs, s_0 = tanh(W_s h)
    from the `bridge`, and `query="previous"` in its wrapper):

        o_i, c_i, s_i = attending(E y_{i-1}, s_{i-1}, memory)
        o_i = upper([o_i ; c_i])                       where there are layers above
        t_i = deep_output(s, E y_{i-1}, c_i)           s is s_{i-1} (the paper) or o_i
        p(y_i | x, y_1 ... y_{i-1}) = softmax(W_o t_i + b)

    The first input y_0 is a token of its own (`<s>`). Padding (id 0) after a sentence
    has no effect on it, since a position sees only earlier ones; the mask saves work.

    Args:
        embedding: `keras.layers.Embedding` of the target words, or `ShardedEmbedding`.
        bridge: From the encoder's last states to s_0 of all layers, see `Bridge`.
        attending: `AttentionWrapper` or `FixedContext` around the lowest layers.
        projection: `WordLogits`, or `ShardedSoftmax`.
        annotation_size: Width of the annotations.
        upper: `LSTMStack` or `GRUStack` of the layers above; None: there are none.
        deep_output: `DeepOutput`; None: t_i = o_i.
        output_state: `previous` or `new`: which s the deep output reads, of the top
            layer.
        dropout: Share of units dropped at the embeddings, between the attending and the
            upper layers, and before the softmax.
        variational_dropout: Whether that is the same at all positions of a sentence.
        stage: Device on which the attending layers attend, see `RecurrentStack`. The
            stacks have stages of their own.
        **kwargs: As for `keras.layers.Layer`.

    Call arguments:
        inputs: int, `[batch, target_len]`: y_0 ... y_{T-1}.
        state: From `start`.
        memory: From `start`: what is attended to, the same at all positions.
        training: Whether dropout is on.

    Returns:
        `DecoderOutputs`: t_i of all positions, and the alignments unless `attending` is
        a `FixedContext`.

    Example:
        >>> from nmt.layers import BahdanauAttention, GRUStack
        >>> from nmt.models import Bridge, Encoder, WordLogits
        >>> encoder = Encoder(9, 3, 4, num_layers=1, cell="gru")
        >>> decoder = AttentionDecoder(
        ...     keras.layers.Embedding(8, 3),
        ...     Bridge("gru", encoder_size=4, units=4, num_layers=1),
        ...     AttentionWrapper(GRUStack(4, 1), BahdanauAttention(5)),
        ...     WordLogits(8),
        ...     annotation_size=4,
        ... )
        >>> decoder.build()
        >>> state, memory = decoder.start(encoder(tf.constant([[5, 3], [3, 0]])))
        >>> logits, state = decoder.step(tf.constant([2, 2]), state, memory)
        >>> logits.shape, state.attention.alignments.shape
        (TensorShape([2, 8]), TensorShape([2, 2]))
    """

    def __init__(
        self,
        embedding: Any,
        bridge: Any,
        attending: Any,
        projection: Any,
        annotation_size: int,
        upper: Any = None,
        deep_output: Any = None,
        output_state: str = "new",
        dropout: float = 0.0,
        variational_dropout: bool = False,
        stage: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.stage = stage
        self.embedding = embedding
        self.bridge = bridge
        self.attending = attending
        self.projection = projection
        self.annotation_size = annotation_size
        self.upper = upper
        self.deep_output = deep_output
        self.output_state = output_state
        self.dropout = dropout
        self.variational_dropout = variational_dropout
        noise = (None, 1, None) if variational_dropout else None
        self.embedding_dropout, self.upper_dropout, self.output_dropout = (
            keras.layers.Dropout(dropout, noise, dtype=self.dtype_policy, name=name)
            for name in ("embedding_dropout", "upper_dropout", "output_dropout")
        )

    @property
    def attends(self) -> bool:
        """Whether it aligns target positions with source positions."""
        return isinstance(self.attending, AttentionWrapper)

    @property
    def kernels_in_use(self) -> tuple[str, ...]:
        """The time loop that each layer runs, see `AttentionWrapper`."""
        above = () if self.upper is None else self.upper.kernels_in_use
        return (*self.attending.kernels_in_use, *above)

    def build(self, input_shape: Any = None) -> None:
        """Creates the weights; their shapes do not depend on the input's."""
        units, annotation = self.bridge.units, self.annotation_size
        words, memory = (
            (None, None, self.embedding.output_dim),
            (None, None, annotation),
        )
        shapes: list[tuple[Any, tuple[Any, ...]]] = [
            (self.embedding, ((None, None),)),
            (self.bridge, ()),
            (self.attending, (words, memory)),
            (self.upper, ((None, None, units + annotation),)),
            (self.deep_output, ((None, None, units), words, memory)),
            (self.projection, ((None, None, self._output_size()),)),
        ]
        for part, its_shapes in shapes:
            # A part that a file describes is built by Keras.
            if part is not None and not part.built:
                with variables_on(self.stage if part is self.attending else None):
                    part.build(*its_shapes)
        self.built = True

    def start(self, encoding: Encoding) -> DecoderStart:
        """Returns the state before the first position, and what is attended to.

        Args:
            encoding: From the encoder.

        Returns:
            state: `AttentionDecoderState`.
            memory: `AttentionMemory`; for a `FixedContext` the context.
        """
        if self.attends:
            build = placed(self.stage, self.attending.attention.build_memory)
            memory = build(encoding.annotations, encoding.mask)
        else:
            memory = self.attending.build_memory(encoding)
        states = self.bridge(encoding.state)
        lowest = len(states) - (0 if self.upper is None else self.upper.num_layers)
        attending = self.attending.get_initial_state(memory, states[:lowest])
        state = AttentionDecoderState(attending, states[lowest:])
        return DecoderStart(state, memory)

    def call(
        self,
        inputs: tf.Tensor,
        state: AttentionDecoderState,
        memory: Any,
        training: bool = False,
    ) -> DecoderOutputs:
        """Runs over all positions of a known target; see the class."""
        embedded = self.embedding_dropout(self.embedding(inputs), training=training)
        mask = tf.not_equal(inputs, PAD_ID)
        attend = placed(self.stage, self.attending)
        found = attend(
            embedded, memory, state.attention, inputs_mask=mask, training=training
        )
        outputs, upper = found.outputs, state.upper
        if self.upper is not None:
            both = tf.concat([outputs, found.contexts], axis=-1)
            outputs, upper = self.upper(
                self.upper_dropout(both, training=training),
                initial_state=state.upper,
                mask=mask,
                training=training,
            )
        if self.deep_output is not None:
            if self.output_state == "previous":
                first = tf.cast(self._hidden(state), outputs.dtype)[:, tf.newaxis]
                outputs = tf.concat([first, outputs[:, :-1]], axis=1)
            outputs = self.deep_output(outputs, embedded, found.contexts)
        outputs = self.output_dropout(outputs, training=training)
        state = AttentionDecoderState(found.state, upper)
        alignments = found.alignments if self.attends else None
        return DecoderOutputs(outputs, state, alignments)

    def step(
        self, ids: tf.Tensor, state: AttentionDecoderState, memory: Any
    ) -> tuple[Logits, AttentionDecoderState]:
        """Runs one position, for search: y_{i-1} and the state in, logits of y_i out.

        Args:
            ids: int, `[rows]`.
            state: The state before, `[rows, ...]`.
            memory: From `start`, `[sentences, ...]`. There are k rows a sentence, one
                after the other: its hypotheses in a search. k follows from the shapes,
                and the memory is not repeated.

        Returns:
            logits: float32, `[rows, vocabulary]` or slices of it.
            state: The next state.
        """
        embedded = self.embedding(ids)
        attend = placed(self.stage, self.attending.step)
        outputs, attention = attend(embedded, state.attention, memory)
        upper = state.upper
        if self.upper is not None:
            both = tf.concat([outputs, attention.attention], axis=-1)
            outputs, upper = self.upper.step(both, state.upper)
        if self.deep_output is not None:
            hidden = self._hidden(state) if self.output_state == "previous" else outputs
            outputs = self.deep_output(hidden, embedded, attention.attention)
        return self.logits(outputs), AttentionDecoderState(attention, upper)

    def logits(self, outputs: tf.Tensor) -> Logits:
        """Returns W_o t + b in float32 for `[..., width]`.

        It is `[..., vocabulary]`, or a tuple of slices of it if W_o is cut.
        """
        return self.projection(outputs, tables_of(self.embedding))

    def token_losses(
        self, outputs: tf.Tensor, targets: tf.Tensor, label_smoothing: float = 0.0
    ) -> tuple[tf.Tensor, tf.Tensor]:
        """Returns the losses of target words, see `nmt.layers.token_losses`.

        Args:
            outputs: t, `[tokens, width]`.
            targets: int, `[tokens]`.
            label_smoothing: epsilon, in `[0, 1)`.
        """
        tables = tables_of(self.embedding)
        return self.projection.token_losses(outputs, targets, label_smoothing, tables)

    def get_config(self) -> dict[str, Any]:
        """Returns the constructor's arguments."""
        serialize = keras.saving.serialize_keras_object
        return {
            **super().get_config(),
            **{name: serialize(getattr(self, name)) for name in _PARTS},
            "annotation_size": self.annotation_size,
            "output_state": self.output_state,
            "dropout": self.dropout,
            "variational_dropout": self.variational_dropout,
            "stage": self.stage,
        }

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> "AttentionDecoder":
        """Makes the layer that `get_config` describes."""
        load = keras.saving.deserialize_keras_object
        parts = {name: load(config[name]) for name in _PARTS}
        return cls(**{**config, **parts})

    def _hidden(self, state: AttentionDecoderState) -> tf.Tensor:
        """Returns the top layer's hidden state, `[batch, units]`."""
        states = state.upper or state.attention.cell
        return states[-1].hidden

    def _output_size(self) -> int:
        if self.deep_output is not None:
            return self.deep_output.units
        attention_size = getattr(self.attending, "attention_size", None)
        return attention_size or self.bridge.units
