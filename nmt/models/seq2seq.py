"""Encoder and decoder together: p(target | source), its loss and its search step."""

from typing import Any, NamedTuple

import keras
import tensorflow as tf

from nmt.data.vocabulary import BOS_ID, PAD_ID
from nmt.layers import Logits, join_shards
from nmt.models.encoder import DecoderOutputs, DecoderStart


class LossSum(NamedTuple):
    """Sums over a batch; the caller divides.

    Attributes:
        loss: float32 scalar, what training minimises: nats, smoothed labels.
        nats: float32 scalar, minus the log probability of the targets, unsmoothed.
        tokens: float32 scalar, target tokens, ends of sentence included.
        sentences: float32 scalar, rows with a target token.
    """

    loss: tf.Tensor
    nats: tf.Tensor
    tokens: tf.Tensor
    sentences: tf.Tensor


@keras.saving.register_keras_serializable(package="nmt")
class Seq2Seq(keras.Model):
    """An encoder and a decoder, whatever they are made of: p(target | source).

        p(y_1 ... y_T' | x_1 ... x_T) = prod_i p(y_i | x, y_1 ... y_{i-1})

    (Sutskever et al., 2014, eq. 1; Bahdanau et al., 2015, eq. 2). Both sentences end in
    `</s>`, which is a y_i like any other. `build_model` makes encoder and decoder from
    settings.

    Padding (id 0) after a sentence changes neither logits nor losses.

    Args:
        encoder: `Encoder`.
        decoder: `Decoder`, which is told the encoder's last state (the LSTM paper), or
            `AttentionDecoder`.
        **kwargs: As for `keras.Model`.

    Call arguments:
        inputs: pair of int ids: source `[batch, source_len]` and target
            `[batch, target_len]`, both with `</s>`, 0 at padding.
        training: Whether dropout is on.

    Returns:
        float32, `[batch, target_len, target_vocabulary]`: logits of y_i given the
        source and y_1 ... y_{i-1}.

    Example:
        >>> import numpy as np
        >>> from nmt.models.decoder import Decoder
        >>> from nmt.models.encoder import Encoder
        >>> sizes = dict(embedding_size=3, hidden_size=4, num_layers=2)
        >>> model = Seq2Seq(Encoder(9, **sizes), Decoder(8, **sizes))
        >>> model((np.array([[5, 3], [3, 0]]), np.array([[6, 7, 3], [6, 3, 0]]))).shape
        TensorShape([2, 3, 8])
    """

    def __init__(self, encoder: Any, decoder: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.encoder = encoder
        self.decoder = decoder

    @property
    def attends(self) -> bool:
        """Whether the decoder aligns target positions with source positions."""
        return self.decoder.attends

    def build(self, input_shape: Any = None) -> None:
        """Creates the weights; their shapes do not depend on the input's."""
        for part in (self.encoder, self.decoder):
            # A part that a file describes is built by Keras.
            if not part.built:
                part.build()
        self.built = True

    def call(
        self, inputs: tuple[tf.Tensor, tf.Tensor], training: bool = False
    ) -> tf.Tensor:
        """Returns the logits at every position; see the class."""
        source, target = inputs
        found = self._decode(source, target, training)
        return join_shards(self.decoder.logits(found.outputs))

    def logits_and_alignments(
        self, source: tf.Tensor, target: tf.Tensor
    ) -> tuple[Logits, tf.Tensor | None]:
        """Returns what `call` does, and where each word looked.

        Logits that the decoder has in slices stay in slices.

        Args:
            source: int, `[batch, source_len]`.
            target: int, `[batch, target_len]`.

        Returns:
            logits: float32, `[batch, target_len, target_vocabulary]`, or slices of it.
            alignments: float32, `[batch, target_len, source_len]`; None for a decoder
                that does not attend. Those at target padding mean nothing.
        """
        found = self._decode(source, target, training=False)
        return self.decoder.logits(found.outputs), found.alignments

    def _decode(
        self, source: tf.Tensor, target: tf.Tensor, training: bool
    ) -> DecoderOutputs:
        start = self.encode(source, training=training)
        return self.decoder(shift_right(target), *start, training=training)

    def encode(self, source: tf.Tensor, training: bool = False) -> DecoderStart:
        """Returns the decoder's first state, and what it can look at.

        Args:
            source: int, `[batch, source_len]`.
            training: Whether dropout is on.

        Returns:
            `DecoderStart`: two nests of tensors `[batch, ...]`.
        """
        return self.decoder.start(self.encoder(source, training=training))

    def step(self, ids: tf.Tensor, state: Any, memory: Any) -> tuple[Logits, Any]:
        """Runs one step of a search; see the decoder's `step`.

        Args:
            ids: y_{i-1}, int, `[rows]`.
            state: The state before, `[rows, ...]`.
            memory: From `encode`, `[sentences, ...]`, not repeated. There are k rows a
                sentence, one after the other: its hypotheses.

        Returns:
            logits: Of y_i, float32, `[rows, vocabulary]` or slices of it.
            state: The next state.
        """
        return self.decoder.step(ids, state, memory)

    def losses(
        self,
        source: tf.Tensor,
        target: tf.Tensor,
        label_smoothing: float = 0.0,
        training: bool = False,
        static_shapes: bool = False,
    ) -> LossSum:
        """Sums the loss over the target tokens of a batch.

        The softmax is computed at non-padding positions only, which saves 7-12 % of a
        training step; with `static_shapes`, as XLA needs, at all of them.

        Args:
            source: int, `[batch, source_len]`.
            target: int, `[batch, target_len]`.
            label_smoothing: Share of the probability spread over the vocabulary.
            training: Whether dropout is on.
            static_shapes: Whether all tensors must have shapes known beforehand.

        Returns:
            `LossSum`; equal in both modes but for rounding.
        """
        hidden = self._decode(source, target, training).outputs
        mask = tf.not_equal(target, PAD_ID)
        if static_shapes:
            weights = tf.cast(tf.reshape(mask, [-1]), tf.float32)
            hidden = tf.reshape(hidden, [-1, hidden.shape[-1]])
            labels = tf.reshape(target, [-1])
        else:
            positions = tf.where(mask)
            hidden = tf.gather_nd(hidden, positions)
            labels = tf.gather_nd(target, positions)
            weights = tf.ones_like(labels, tf.float32)
        smoothed, plain = self.decoder.token_losses(hidden, labels, label_smoothing)
        loss, nats = (tf.reduce_sum(weights * each) for each in (smoothed, plain))
        sentences = tf.reduce_sum(tf.cast(tf.reduce_any(mask, axis=1), tf.float32))
        return LossSum(loss, nats, tf.reduce_sum(weights), sentences)

    def get_config(self) -> dict[str, Any]:
        """Returns the constructor's arguments."""
        serialize = keras.saving.serialize_keras_object
        return {
            **super().get_config(),
            "encoder": serialize(self.encoder),
            "decoder": serialize(self.decoder),
        }

    @classmethod
    def from_config(cls, config: dict[str, Any], **kwargs: Any) -> "Seq2Seq":
        """Makes the model that `get_config` describes."""
        del kwargs
        load = keras.saving.deserialize_keras_object
        parts = {name: load(config[name]) for name in ("encoder", "decoder")}
        return cls(**{**config, **parts})


def shift_right(target: tf.Tensor) -> tf.Tensor:
    """Returns the decoder's input y_0 ... y_{T-1} for the target y_1 ... y_T.

    Args:
        target: int, `[batch, target_len]`.

    Returns:
        int, `[batch, target_len]`, `<s>` first.

    Example:
        >>> shift_right(tf.constant([[6, 7, 3], [6, 3, 0]])).numpy().tolist()
        [[2, 6, 7], [2, 6, 3]]
    """
    first = tf.fill([tf.shape(target)[0], 1], tf.cast(BOS_ID, target.dtype))
    return tf.concat([first, target[:, :-1]], axis=1)
