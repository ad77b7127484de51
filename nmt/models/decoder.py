"""The decoder of the LSTM paper: it starts from the encoder's last states."""

from collections.abc import Sequence
from typing import Any

import keras
import tensorflow as tf

from nmt.data.vocabulary import PAD_ID
from nmt.distribution import placed
from nmt.layers import STACKS, Logits
from nmt.models.encoder import DecoderOutputs, DecoderStart, Encoding
from nmt.models.initializers import make_initializers
from nmt.models.word_layers import word_embedding, word_projection


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

    Padding (id 0) after a sentence has no effect on it, since a position sees only
    earlier ones; the mask saves work.

    Args:
        vocabulary_size: Rows of the embedding table and columns of W_s.
        embedding_size: Width of E.
        hidden_size: Cells a layer.
        num_layers: L.
        cell: `lstm` or `gru`.
        dropout: Share of units dropped at the embeddings, between layers and before
            the softmax.
        variational_dropout: See `RecurrentStack`.
        residual: See `RecurrentStack`.
        layer_norm: See `RecurrentStack`.
        initializer: A name that `make_initializers` knows.
        initializer_scale: Its scale.
        stages: Device of each layer, see `RecurrentStack`.
        chunk_length: See `RecurrentStack`.
        shards: Device of each slice of E and W_s, see `ShardedSoftmax`; None: they are
            not cut.
        recompute: See there.

    Call arguments:
        inputs: int, `[batch, target_len]`: y_0 ... y_{T-1}.
        state: from `start`: a state of each layer, `[batch, hidden]`.
        memory: `()`, for the sake of decoders that have one.
        training: Whether dropout is on.

    Returns:
        `DecoderOutputs`: h^L_i of all positions, and no alignments.

    Example:
        >>> import numpy as np
        >>> from nmt.models import Encoder
        >>> encoder = Encoder(9, embedding_size=3, hidden_size=4, num_layers=1)
        >>> decoder = Decoder(9, embedding_size=3, hidden_size=4, num_layers=1)
        >>> start = decoder.start(encoder(np.array([[5, 3], [3, 0]])))
        >>> found = decoder(np.array([[2, 5], [2, 6]]), *start)
        >>> decoder.logits(found.outputs).shape
        TensorShape([2, 2, 9])
    """

    def __init__(
        self,
        vocabulary_size: int,
        embedding_size: int,
        hidden_size: int,
        num_layers: int,
        cell: str = "lstm",
        dropout: float = 0.0,
        variational_dropout: bool = False,
        residual: bool = False,
        layer_norm: bool = False,
        initializer: str = "keras",
        initializer_scale: float = 0.08,
        stages: Sequence[int] | None = None,
        chunk_length: int = 0,
        shards: Sequence[int] | None = None,
        recompute: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.arguments = {
            "vocabulary_size": vocabulary_size,
            "embedding_size": embedding_size,
            "hidden_size": hidden_size,
            "num_layers": num_layers,
            "cell": cell,
            "dropout": dropout,
            "variational_dropout": variational_dropout,
            "residual": residual,
            "layer_norm": layer_norm,
            "initializer": initializer,
            "initializer_scale": initializer_scale,
            "stages": stages,
            "chunk_length": chunk_length,
            "shards": shards,
            "recompute": recompute,
        }
        self.sizes = embedding_size, hidden_size
        start = make_initializers(initializer, initializer_scale)
        policy = self.dtype_policy
        self.embedding = word_embedding(
            vocabulary_size, embedding_size, start.embeddings, shards, policy
        )
        noise = (None, 1, None) if variational_dropout else None
        self.embedding_dropout, self.output_dropout = (
            keras.layers.Dropout(dropout, noise, dtype=policy, name=name)
            for name in ("embedding_dropout", "output_dropout")
        )
        self.stack = STACKS[cell](
            hidden_size,
            num_layers,
            dropout=dropout,
            variational_dropout=variational_dropout,
            residual=residual,
            layer_norm=layer_norm,
            stages=stages,
            chunk_length=chunk_length,
            **start.recurrent(cell),
            dtype=policy,
            name="stack",
        )
        self.projection = word_projection(
            vocabulary_size,
            shards=shards,
            recompute=recompute,
            **start.dense(),
            dtype=policy,
        )

    @property
    def attends(self) -> bool:
        """Whether it aligns target positions with source positions: it does not."""
        return False

    @property
    def kernels_in_use(self) -> tuple[str, ...]:
        """The time loop that each layer runs, see `LSTM` and `GRU`."""
        return self.stack.kernels_in_use

    def build(self, input_shape: Any = None) -> None:
        """Creates the weights; their shapes do not depend on the input's."""
        embedding_size, hidden_size = self.sizes
        self.embedding.build((None, None))
        self.stack.build((None, None, embedding_size))
        self.projection.build((None, hidden_size))
        self.built = True

    def start(self, encoding: Encoding) -> DecoderStart:
        """Returns v, the state before the first position: the encoder's last one."""
        return DecoderStart(encoding.state, ())

    def call(
        self,
        inputs: tf.Tensor,
        state: tuple[Any, ...],
        memory: tuple[()] = (),
        training: bool = False,
    ) -> DecoderOutputs:
        """Runs over all positions of a known target; see the class."""
        embedded = self.embedding_dropout(self.embedding(inputs), training=training)
        mask = tf.not_equal(inputs, PAD_ID)
        hidden, state = self.stack(
            embedded, initial_state=state, mask=mask, training=training
        )
        drop = placed(self.stack.stage(-1), self.output_dropout)
        hidden = drop(hidden, training=training)
        return DecoderOutputs(hidden, state, None)

    def step(
        self, ids: tf.Tensor, state: tuple[Any, ...], memory: tuple[()] = ()
    ) -> tuple[Logits, tuple[Any, ...]]:
        """Runs one position, for search: y_{i-1} and the state in, logits of y_i out.

        Args:
            ids: int, `[rows]`.
            state: A state of each layer, `[rows, hidden]`.
            memory: `()`, for the sake of decoders that have one.

        Returns:
            logits: float32, `[rows, vocabulary]` or slices of it.
            state: the next state.
        """
        hidden, state = self.stack.step(self.embedding(ids), state)
        return self.logits(hidden), state

    def logits(self, hidden: tf.Tensor) -> Logits:
        """Returns W_s h + b_s in float32 for `[..., hidden]`.

        It is `[..., vocabulary]`, or a tuple of slices of it if W_s is cut.
        """
        return self.projection(hidden)

    def token_losses(
        self, hidden: tf.Tensor, targets: tf.Tensor, label_smoothing: float = 0.0
    ) -> tuple[tf.Tensor, tf.Tensor]:
        """Returns the losses of target words, see `nmt.layers.token_losses`.

        Args:
            hidden: `[tokens, hidden]`.
            targets: int, `[tokens]`.
            label_smoothing: epsilon, in `[0, 1)`.
        """
        return self.projection.token_losses(hidden, targets, label_smoothing)

    def get_config(self) -> dict[str, Any]:
        """Returns the constructor's arguments."""
        return {**super().get_config(), **self.arguments}
