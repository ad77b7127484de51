"""The encoder: a deep network that reads the source."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import keras
import tensorflow as tf

from nmt.data.vocabulary import PAD_ID
from nmt.distribution import placed
from nmt.layers import STACKS, BidirectionalStack
from nmt.models.initializers import make_initializers
from nmt.models.word_layers import word_embedding


class Encoding(NamedTuple):
    """What the decoder may know of a batch of sources.

    Attributes:
        annotations: h_j, the top layer's outputs, `[batch, source_len, annotation]`.
        mask: bool, `[batch, source_len]`; True marks a token, `</s>` included.
        state: The last state of each layer, lowest first: an `LSTMState`, a `GRUState`,
            or a `BidirectionalState` of two of them.
    """

    annotations: tf.Tensor
    mask: tf.Tensor
    state: tuple[Any, ...]


class DecoderStart(NamedTuple):
    """What a decoder makes of an `Encoding` before its first position.

    Attributes:
        state: What changes from step to step, any nest of tensors `[sentences, ...]`: a
            search repeats it for the hypotheses of a sentence and reorders it.
        memory: What stays the same, any nest of tensors `[sentences, ...]`: it is not
            repeated. `()` for a decoder that is told no more than its first state.
    """

    state: Any
    memory: Any


class DecoderOutputs(NamedTuple):
    """What a decoder makes of all positions of a known target.

    Attributes:
        outputs: float, `[batch, target_len, width]`, ready for the decoder's `logits`.
        state: The state after the last position.
        alignments: alpha_ij, float32, `[batch, target_len, source_len]`, source
            positions in the order in which the encoder read them; None for a decoder
            that does not attend.
    """

    outputs: tf.Tensor
    state: Any
    alignments: tf.Tensor | None


@keras.saving.register_keras_serializable(package="nmt")
class Encoder(keras.layers.Layer):
    """Reads a sentence, in one direction or in both.

    With embedding E and L layers of the LSTM paper (Sutskever et al., 2014, section 2):

        h^0_t = E x_t
        h^l_t, c^l_t = LSTM_l(h^{l-1}_t, h^l_{t-1}, c^l_{t-1})        t = 1 ... T
        v = ((h^1_T, c^1_T), ..., (h^L_T, c^L_T))

    v is all that its decoder is told: 4 layers of 1000 cells make the paper's "8000
    numbers". The layer reads in the order it is given; reversing the source is the data
    pipeline's part. `bidirectional` is the encoder of RNNsearch (Bahdanau et al., 2015,
    section 3.2): both directions share E, and the annotation of word j is

        h_j = [forward h_j ; backward h_j]

    Padding (id 0) after a sentence changes nothing. A row of padding alone, as fills up
    a batch of static shape, is read as one padding token, since cuDNN takes no row
    without a valid position; its state is finite and means nothing, and its mask is
    False everywhere.

    Args:
        vocabulary_size: Rows of the embedding table.
        embedding_size: Width of E.
        hidden_size: Cells a layer, in each direction.
        num_layers: L.
        cell: `lstm` or `gru`.
        bidirectional: Whether every layer reads in both directions.
        dropout: Share of units dropped at the embeddings, between layers and at the
            annotations.
        variational_dropout: See `RecurrentStack`.
        residual: See `RecurrentStack`.
        layer_norm: See `RecurrentStack`.
        initializer: A name that `make_initializers` knows.
        initializer_scale: Its scale.
        stages: Device of each layer, see `RecurrentStack`.
        chunk_length: See `RecurrentStack`; a bidirectional encoder has none.
        shards: Device of each slice of E, see `ShardedEmbedding`; None: it is not cut.

    Call arguments:
        source: int, `[batch, source_len]`, ids with the end of sentence, 0 at padding.
        training: Whether dropout is on.

    Returns:
        `Encoding`.

    Example:
        >>> import numpy as np
        >>> encoder = Encoder(9, embedding_size=3, hidden_size=4, num_layers=2)
        >>> encoding = encoder(np.array([[5, 3], [3, 0]]))
        >>> encoding.annotations.shape, encoding.state[1].cell.shape
        (TensorShape([2, 2, 4]), TensorShape([2, 4]))
    """

    def __init__(
        self,
        vocabulary_size: int,
        embedding_size: int,
        hidden_size: int,
        num_layers: int,
        cell: str = "lstm",
        bidirectional: bool = False,
        dropout: float = 0.0,
        variational_dropout: bool = False,
        residual: bool = False,
        layer_norm: bool = False,
        initializer: str = "keras",
        initializer_scale: float = 0.08,
        stages: Sequence[int] | None = None,
        chunk_length: int = 0,
        shards: Sequence[int] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.arguments = {
            "vocabulary_size": vocabulary_size,
            "embedding_size": embedding_size,
            "hidden_size": hidden_size,
            "num_layers": num_layers,
            "cell": cell,
            "bidirectional": bidirectional,
            "dropout": dropout,
            "variational_dropout": variational_dropout,
            "residual": residual,
            "layer_norm": layer_norm,
            "initializer": initializer,
            "initializer_scale": initializer_scale,
            "stages": stages,
            "chunk_length": chunk_length,
            "shards": shards,
        }
        self.embedding_size = embedding_size
        self.annotation_size = (1 + bidirectional) * hidden_size
        start = make_initializers(initializer, initializer_scale)
        self.embedding = word_embedding(
            vocabulary_size, embedding_size, start.embeddings, shards, self.dtype_policy
        )
        noise = (None, 1, None) if variational_dropout else None
        self.embedding_dropout, self.annotation_dropout = (
            keras.layers.Dropout(dropout, noise, dtype=self.dtype_policy, name=name)
            for name in ("embedding_dropout", "annotation_dropout")
        )
        options: dict[str, Any] = {
            "dropout": dropout,
            "variational_dropout": variational_dropout,
            "residual": residual,
            "layer_norm": layer_norm,
            "stages": stages,
            **start.recurrent(cell),
            "dtype": self.dtype_policy,
            "name": "stack",
        }
        if bidirectional:
            self.stack = BidirectionalStack(cell, hidden_size, num_layers, **options)
        else:
            options["chunk_length"] = chunk_length
            self.stack = STACKS[cell](hidden_size, num_layers, **options)

    def build(self, input_shape: Any = None) -> None:
        """Creates the weights; their shapes do not depend on the input's."""
        self.embedding.build((None, None))
        self.stack.build((None, None, self.embedding_size))
        self.built = True

    def call(self, source: tf.Tensor, training: bool = False) -> Encoding:
        """Reads `source`; see the class."""
        mask = tf.not_equal(source, PAD_ID)
        first = tf.range(tf.shape(source)[1]) == 0
        embedded = self.embedding_dropout(self.embedding(source), training=training)
        annotations, state = self.stack(embedded, mask=mask | first, training=training)
        drop = placed(self.stack.stage(-1), self.annotation_dropout)
        annotations = drop(annotations, training=training)
        return Encoding(annotations, mask, state)

    def get_config(self) -> dict[str, Any]:
        """Returns the constructor's arguments."""
        return {**super().get_config(), **self.arguments}
