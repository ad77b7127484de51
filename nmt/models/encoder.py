"""The encoder: a deep LSTM that reads the source into its final state."""

from typing import Any

import keras
import tensorflow as tf

from nmt.data.vocabulary import PAD_ID
from nmt.layers import LSTMStack, LSTMState
from nmt.models.initializers import make_initializers


@keras.saving.register_keras_serializable(package="nmt")
class Encoder(keras.layers.Layer):
    """Reads a sentence and keeps the state of every layer at its end.

    With embedding E and layers LSTM_1 ... LSTM_L (Sutskever et al., 2014, section 2):

        h^0_t = E x_t
        h^l_t, c^l_t = LSTM_l(h^{l-1}_t, h^l_{t-1}, c^l_{t-1})        t = 1 ... T
        v = ((h^1_T, c^1_T), ..., (h^L_T, c^L_T))

    v is all that the decoder is told: 4 layers of 1000 cells make the paper's "8000
    numbers". The layer reads in the order it is given; reversing the source is the data
    pipeline's part.

    Padding (id 0) after a sentence changes nothing. A row of padding alone, as fills up
    a batch of static shape, is read as one padding token, since cuDNN takes no row
    without a valid position; its state is finite and means nothing.

    Args:
        vocabulary_size: Rows of the embedding table.
        embedding_size: Width of E.
        hidden_size: Cells a layer.
        num_layers: L.
        dropout: Share of units dropped at the embeddings and between layers.
        initializer: A name that `make_initializers` knows.
        initializer_scale: Its scale.

    Call arguments:
        source: int, `[batch, source_len]`, ids with the end of sentence, 0 at padding.
        training: Whether dropout is on.

    Returns:
        annotations: float, `[batch, source_len, hidden]`, the top layer's h_t.
        state: tuple of `LSTMState`, one a layer, each `[batch, hidden]`.

    Example:
        >>> import numpy as np
        >>> encoder = Encoder(9, embedding_size=3, hidden_size=4, num_layers=2)
        >>> annotations, state = encoder(np.array([[5, 3], [3, 0]]))
        >>> annotations.shape, len(state), state[1].cell.shape
        (TensorShape([2, 2, 4]), 2, TensorShape([2, 4]))
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
        self.embedding = keras.layers.Embedding(
            vocabulary_size,
            embedding_size,
            embeddings_initializer=start.embeddings,
            dtype=self.dtype_policy,
            name="embedding",
        )
        self.embedding_dropout = keras.layers.Dropout(
            dropout, dtype=self.dtype_policy, name="embedding_dropout"
        )
        self.stack = LSTMStack(
            hidden_size,
            num_layers,
            dropout=dropout,
            kernel_initializer=start.kernel,
            recurrent_initializer=start.recurrent_kernel,
            bias_initializer=start.bias,
            unit_forget_bias=start.unit_forget_bias,
            dtype=self.dtype_policy,
            name="stack",
        )

    def build(self, input_shape: Any = None) -> None:
        """Creates the weights; their shapes do not depend on the input's."""
        self.embedding.build((None, None))
        self.stack.build((None, None, self.embedding_size))
        self.built = True

    def call(
        self, source: tf.Tensor, training: bool = False
    ) -> tuple[tf.Tensor, tuple[LSTMState, ...]]:
        """Reads `source`; see the class."""
        first = tf.range(tf.shape(source)[1]) == 0
        mask = tf.not_equal(source, PAD_ID) | first
        embedded = self.embedding_dropout(self.embedding(source), training=training)
        annotations, state = self.stack(embedded, mask=mask, training=training)
        return annotations, state

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
