"""Encoder and decoder together: p(target | source), its loss and its search step."""

from typing import Any, NamedTuple

import keras
import tensorflow as tf

from nmt.data.vocabulary import BOS_ID, PAD_ID
from nmt.layers import LSTMState, token_cross_entropy
from nmt.models.decoder import Decoder
from nmt.models.encoder import Encoder


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
    """The LSTM paper's model: two deep LSTMs, the second begins where the first ends.

        p(y_1 ... y_T' | x_1 ... x_T) = prod_i p(y_i | v, y_1 ... y_{i-1})

    (Sutskever et al., 2014, eq. 1), v the state of every encoder layer at the end of
    the source. Both sentences end in `</s>`, which is a y_i like any other.

    Padding (id 0) after a sentence changes neither logits nor losses.

    Args:
        source_vocabulary_size: Rows of the encoder's embedding table.
        target_vocabulary_size: Rows of the decoder's, and classes of the softmax.
        embedding_size: Width of both embeddings.
        hidden_size: Cells a layer.
        num_layers: Layers of each of the two LSTMs.
        dropout: Share of units dropped (0 in the paper).
        initializer: `keras` or `uniform` (the paper).
        initializer_scale: Half the width of the uniform distribution.

    Call arguments:
        inputs: pair of int ids: source `[batch, source_len]` and target
            `[batch, target_len]`, both with `</s>`, 0 at padding.
        training: Whether dropout is on.

    Returns:
        float32, `[batch, target_len, target_vocabulary]`: logits of y_i given the
        source and y_1 ... y_{i-1}.

    Example:
        >>> import numpy as np
        >>> model = Seq2Seq(9, 8, embedding_size=3, hidden_size=4, num_layers=2)
        >>> model((np.array([[5, 3], [3, 0]]), np.array([[6, 7, 3], [6, 3, 0]]))).shape
        TensorShape([2, 3, 8])
    """

    def __init__(
        self,
        source_vocabulary_size: int,
        target_vocabulary_size: int,
        embedding_size: int,
        hidden_size: int,
        num_layers: int,
        dropout: float = 0.0,
        initializer: str = "keras",
        initializer_scale: float = 0.08,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.source_vocabulary_size = source_vocabulary_size
        self.target_vocabulary_size = target_vocabulary_size
        self.sizes: dict[str, Any] = {
            "embedding_size": embedding_size,
            "hidden_size": hidden_size,
            "num_layers": num_layers,
            "dropout": dropout,
            "initializer": initializer,
            "initializer_scale": initializer_scale,
        }
        policy = self.dtype_policy
        self.encoder = Encoder(
            source_vocabulary_size, dtype=policy, name="encoder", **self.sizes
        )
        self.decoder = Decoder(
            target_vocabulary_size, dtype=policy, name="decoder", **self.sizes
        )

    def build(self, input_shape: Any = None) -> None:
        """Creates the weights; their shapes do not depend on the input's."""
        self.encoder.build()
        self.decoder.build()
        self.built = True

    def call(
        self, inputs: tuple[tf.Tensor, tf.Tensor], training: bool = False
    ) -> tf.Tensor:
        """Returns the logits at every position; see the class."""
        source, target = inputs
        return self.decoder.logits(self._hidden(source, target, training))

    def _hidden(
        self, source: tf.Tensor, target: tf.Tensor, training: bool
    ) -> tf.Tensor:
        state = self.encode(source, training=training)
        hidden, _ = self.decoder(shift_right(target), state, training=training)
        return hidden

    def encode(
        self, source: tf.Tensor, training: bool = False
    ) -> tuple[LSTMState, ...]:
        """Returns v, the decoder's first state.

        Args:
            source: int, `[batch, source_len]`.
            training: Whether dropout is on.

        Returns:
            tuple of `LSTMState`, one a layer, each `[batch, hidden]`.
        """
        _, state = self.encoder(source, training=training)
        return state

    def step(
        self, ids: tf.Tensor, state: tuple[LSTMState, ...]
    ) -> tuple[tf.Tensor, tuple[LSTMState, ...]]:
        """One step of a search; see `Decoder.step`."""
        return self.decoder.step(ids, state)

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
        hidden = self._hidden(source, target, training)
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
        logits = self.decoder.logits(hidden)
        nats = tf.reduce_sum(weights * token_cross_entropy(logits, labels))
        loss = nats
        if label_smoothing:
            smoothed = token_cross_entropy(logits, labels, label_smoothing)
            loss = tf.reduce_sum(weights * smoothed)
        sentences = tf.reduce_sum(tf.cast(tf.reduce_any(mask, axis=1), tf.float32))
        return LossSum(loss, nats, tf.reduce_sum(weights), sentences)

    def get_config(self) -> dict[str, Any]:
        """Returns the constructor's arguments."""
        return {
            **super().get_config(),
            "source_vocabulary_size": self.source_vocabulary_size,
            "target_vocabulary_size": self.target_vocabulary_size,
            **self.sizes,
        }


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
