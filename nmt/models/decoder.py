"""The decoder: a deep LSTM that writes the target, and its softmax."""

from typing import Any

import keras
import tensorflow as tf

from nmt.layers import LSTMStack, LSTMState
from nmt.models.initializers import make_initializers


@keras.saving.register_keras_serializable(package="nmt")
class Decoder(keras.layers.Layer):
    """A language model of the target whose first state is the encoder's last.

    With embedding E, layers LSTM_1 ... LSTM_L and v from the encoder (Sutskever et al.,
    2014, eq. 1):

        (h^l_0, c^l_0) = v_l
        h^0_i = E y_{i-1}
        h^l_i, c^l_i = LSTM_l(h^{l-1}_i, h^l_{i-1}, c^l_{i-1})
        p(y_i | v, y_1 ... y_{i-1}) = softmax(W_s h^L_i + b_s)

    W_s, b_s are the weights of `projection`. The first input y_0 is a token of its own
    (`<s>`), where the paper's figure shows the source's end of sentence.

    Nothing here is masked: a position sees only earlier ones, so that what stands at
    padding after a sentence has no effect on the sentence.

    Args:
        vocabulary_size: Rows of the embedding table and columns of W_s.
        embedding_size: Width of E.
        hidden_size: Cells a layer.
        num_layers: L.
        dropout: Share of units dropped at the embeddings, between layers and before
            the softmax.
        initializer: A name that `make_initializers` knows.
        initializer_scale: Its scale.

    Call arguments:
        inputs: int, `[batch, target_len]`: y_0 ... y_{T-1}.
        state: tuple of `LSTMState`, each `[batch, hidden]`.
        training: Whether dropout is on.

    Returns:
        hidden: float, `[batch, target_len, hidden]`: h^L_i, ready for `logits`.
        state: the state after the last position.

    Example:
        >>> import numpy as np
        >>> decoder = Decoder(9, embedding_size=3, hidden_size=4, num_layers=1)
        >>> start = (LSTMState(np.zeros((2, 4), "f"), np.zeros((2, 4), "f")),)
        >>> hidden, state = decoder(np.array([[2, 5], [2, 6]]), start)
        >>> decoder.logits(hidden).shape
        TensorShape([2, 2, 9])
    """

    def __init__(
        self,
        vocabulary_size: int,
        embedding_size: int,
        hidden_size: int,
        num_layers: int,
        dropout: float = 0.0,
        initializer: str = "keras",
        initializer_scale: float = 0.08,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.vocabulary_size = vocabulary_size
        self.embedding_size = embedding_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.dropout = dropout
        self.initializer = initializer
        self.initializer_scale = initializer_scale
        start = make_initializers(initializer, initializer_scale)
        policy = self.dtype_policy
        self.embedding = keras.layers.Embedding(
            vocabulary_size,
            embedding_size,
            embeddings_initializer=start.embeddings,
            dtype=policy,
            name="embedding",
        )
        self.embedding_dropout = keras.layers.Dropout(
            dropout, dtype=policy, name="embedding_dropout"
        )
        self.stack = LSTMStack(
            hidden_size,
            num_layers,
            dropout=dropout,
            kernel_initializer=start.kernel,
            recurrent_initializer=start.recurrent_kernel,
            bias_initializer=start.bias,
            unit_forget_bias=start.unit_forget_bias,
            dtype=policy,
            name="stack",
        )
        self.output_dropout = keras.layers.Dropout(
            dropout, dtype=policy, name="output_dropout"
        )
        self.projection = keras.layers.Dense(
            vocabulary_size,
            kernel_initializer=start.kernel,
            bias_initializer=start.bias,
            dtype=policy,
            name="projection",
        )

    def build(self, input_shape: Any = None) -> None:
        """Creates the weights; their shapes do not depend on the input's."""
        self.embedding.build((None, None))
        self.stack.build((None, None, self.embedding_size))
        self.projection.build((None, self.hidden_size))
        self.built = True

    def call(
        self,
        inputs: tf.Tensor,
        state: tuple[LSTMState, ...],
        training: bool = False,
    ) -> tuple[tf.Tensor, tuple[LSTMState, ...]]:
        """Runs over all positions of a known target; see the class."""
        embedded = self.embedding_dropout(self.embedding(inputs), training=training)
        hidden, state = self.stack(embedded, initial_state=state, training=training)
        return self.output_dropout(hidden, training=training), state

    def step(
        self, ids: tf.Tensor, state: tuple[LSTMState, ...]
    ) -> tuple[tf.Tensor, tuple[LSTMState, ...]]:
        """Runs one position, for search: y_{i-1} and the state in, logits of y_i out.

        Args:
            ids: int, `[rows]`.
            state: tuple of `LSTMState`, each `[rows, hidden]`.

        Returns:
            logits: float32, `[rows, vocabulary]`.
            state: the next state.
        """
        hidden, state = self.stack.step(self.embedding(ids), state)
        return self.logits(hidden), state

    def logits(self, hidden: tf.Tensor) -> tf.Tensor:
        """Returns W_s h + b_s in float32, `[..., vocabulary]`, for `[..., hidden]`."""
        return tf.cast(self.projection(hidden), tf.float32)

    def get_config(self) -> dict[str, Any]:
        """Returns the constructor's arguments."""
        return {
            **super().get_config(),
            "vocabulary_size": self.vocabulary_size,
            "embedding_size": self.embedding_size,
            "hidden_size": self.hidden_size,
            "num_layers": self.num_layers,
            "dropout": self.dropout,
            "initializer": self.initializer,
            "initializer_scale": self.initializer_scale,
        }
