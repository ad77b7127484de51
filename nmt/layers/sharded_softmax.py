"""The softmax over a vocabulary in slices."""

import functools
from collections.abc import Sequence
from typing import Any

import keras
import tensorflow as tf

from nmt.distribution import placed, variables_on
from nmt.layers.logit_shards import largest_logits, log_normalizer
from nmt.layers.matrix_product import product
from nmt.layers.recomputed import recomputed
from nmt.layers.shard_statistics import (
    ShardStatistics,
    merged_losses,
    shard_statistics,
)
from nmt.layers.sharded_embedding import checked_ids
from nmt.layers.vocabulary_shards import (
    shard_initializer,
    shard_name,
    stage_of,
    vocabulary_shards,
)


@keras.saving.register_keras_serializable(package="nmt")
class ShardedSoftmax(keras.layers.Layer):
    """The last product before a softmax, and the softmax, cut by vocabulary.

    The LSTM paper (Sutskever et al., 2014, section 3.5) has four GPUs for it, each of
    which multiplies by a quarter of the matrix. With W_1 ... W_K the slices of
    ceil(V / K) columns of W, each on its stage, and target y:

        z_k = W_k t + b_k
        log Z = log sum_k exp(logsumexp(z_k))
        -log p(y) = log Z - z_y

    Of each slice three numbers a token leave its stage, or in a search its best words:
    no tensor `[tokens, vocabulary]` is ever made. Losses, their gradients, log
    probabilities and best words are those of the whole matrix. Logits are float32.

    Args:
        vocabulary_size: V.
        shards: K, see `vocabulary_shards`.
        stages: Which device of a replica each slice lives on, in turn; None, and
            without a `DeviceGrid` in scope: where the layer is used.
        tied: Whether W is a table of embeddings, `ShardedEmbedding`, with as many
            slices (Press and Wolf, 2017, arXiv:1608.05859); then the layer has the
            bias only.
        recompute: Whether a device with several slices has the logits of one at a time
            in memory: its slices take turns, and the gradient computes the logits of
            all but the last one again.
        kernel_initializer: For the whole of W.
        bias_initializer: For the whole of b.
        **kwargs: As for `keras.layers.Layer`.

    Call arguments:
        inputs: t, float, `[..., width]`.
        tables: If tied, `tables` of the embedding: `[size, width]` each.

    Returns:
        The logits z_1 ... z_K, float32, `[..., size]` each, on their stages. Their
        sizes add up to V.

    Raises:
        tf.errors.InvalidArgumentError: a target is outside the vocabulary, on any
            device; XLA leaves assertions out.

    Example:
        >>> layer = ShardedSoftmax(vocabulary_size=7, shards=3)
        >>> [logits.shape[1] for logits in layer(tf.ones([2, 4]))]
        [3, 3, 1]
        >>> loss, nats = layer.token_losses(tf.ones([2, 4]), tf.constant([6, 0]))
        >>> nats.shape
        TensorShape([2])
    """

    def __init__(
        self,
        vocabulary_size: int,
        shards: int,
        stages: Sequence[int] | None = None,
        tied: bool = False,
        recompute: bool = False,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        self.vocabulary_size = vocabulary_size
        self.shards = shards
        self.stages = tuple(stages) if stages else None
        self.tied = tied
        self.recompute = recompute
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.bias_initializer = keras.initializers.get(bias_initializer)
        self.vocabulary = vocabulary_shards(vocabulary_size, shards)
        self.kernels: list[keras.Variable] = []
        self.biases: list[keras.Variable] = []

    def build(self, input_shape: Any) -> None:
        """Creates the weights for `[..., width]`."""
        words = self.vocabulary_size
        if not self.tied:
            shape = input_shape[-1], words
            self.kernels = self._slices("kernel", shape, self.kernel_initializer)
        self.biases = self._slices("bias", (words,), self.bias_initializer)
        self.built = True

    def call(self, inputs: tf.Tensor, tables: Any = None) -> tuple[tf.Tensor, ...]:
        """Returns the slices of the logits; see the class."""
        return tuple(
            placed(stage_of(self.stages, number), self._logits)(inputs, *weights)
            for number, weights in enumerate(self._weights(tables))
        )

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """Returns the mask once a slice."""
        del inputs
        return tuple(mask for _ in self.vocabulary)

    def token_losses(
        self,
        inputs: tf.Tensor,
        targets: tf.Tensor,
        label_smoothing: float = 0.0,
        tables: Any = None,
    ) -> tuple[tf.Tensor, tf.Tensor]:
        """Returns what `nmt.layers.token_losses` makes of the whole logits.

        Args:
            inputs: t, float, `[tokens, width]`.
            targets: y, int, `[tokens]`, each in `[0, vocabulary)`.
            label_smoothing: epsilon, in `[0, 1)`.
            tables: As for the call.

        Returns:
            The smoothed loss and -log p(y), float32, nats, `[tokens]` each.
        """
        self._build_for(inputs)
        targets = checked_ids(targets, self.vocabulary_size)
        functions = [
            functools.partial(self._statistics, targets, number, bool(label_smoothing))
            for number in range(len(self.vocabulary))
        ]
        found = self._on_stages(functions, inputs, self._weights(tables))
        return merged_losses(found, self.vocabulary_size, label_smoothing)

    def log_probs(
        self, inputs: tf.Tensor, targets: tf.Tensor, tables: Any = None
    ) -> tf.Tensor:
        """Returns log p(y) of target words, float32, nats, `[tokens]`.

        Args:
            inputs: t, float, `[tokens, width]`.
            targets: y, int, `[tokens]`, each in `[0, vocabulary)`.
            tables: As for the call.
        """
        return -self.token_losses(inputs, targets, tables=tables)[1]

    def top_k(
        self, inputs: tf.Tensor, count: int, tables: Any = None
    ) -> tuple[tf.Tensor, tf.Tensor]:
        """Returns the likeliest words, as `tf.math.top_k` of the whole log softmax.

        Args:
            inputs: t, float, `[..., width]`.
            count: How many, at most the vocabulary.
            tables: As for the call.

        Returns:
            log p, float32, nats, largest first, and int32 the words, `[..., count]`;
            of equally likely ones the first come first.
        """
        logits = self(inputs, tables)
        best, words = largest_logits(logits, count)
        return best - log_normalizer(logits)[..., tf.newaxis], words

    def get_config(self) -> dict[str, Any]:
        """Returns the constructor's arguments."""
        serialize = keras.initializers.serialize
        return {
            **super().get_config(),
            "vocabulary_size": self.vocabulary_size,
            "shards": self.shards,
            "stages": self.stages,
            "tied": self.tied,
            "recompute": self.recompute,
            "kernel_initializer": serialize(self.kernel_initializer),
            "bias_initializer": serialize(self.bias_initializer),
        }

    def _slices(
        self, name: str, shape: tuple[int, ...], initializer: Any
    ) -> list[keras.Variable]:
        """Creates the slices of a weight whose last axis is words."""
        weights = []
        for number, shard in enumerate(self.vocabulary):
            with variables_on(stage_of(self.stages, number)):
                weight = self.add_weight(
                    shape=(*shape[:-1], shard.size),
                    initializer=shard_initializer(initializer, shard, shape, name),
                    name=shard_name(name, number),
                    autocast=False,
                )
            # tf.train.Checkpoint saves nothing of weights that are only in a list.
            setattr(self, weight.name, weight)
            weights.append(weight)
        return weights

    def _build_for(self, inputs: tf.Tensor) -> None:
        if not self.built:
            self.build(inputs.shape)

    def _weights(self, tables: Any) -> list[tuple[tf.Tensor, tf.Tensor]]:
        """Returns matrix and bias of each slice; tied, the matrix is transposed."""
        kernels = tables if self.tied else self.kernels
        return [
            tuple(tf.convert_to_tensor(weight.value) for weight in pair)
            for pair in zip(kernels, self.biases, strict=True)
        ]

    def _logits(
        self, inputs: tf.Tensor, kernel: tf.Tensor, bias: tf.Tensor
    ) -> tf.Tensor:
        dtype = self.compute_dtype
        kernel = tf.cast(kernel, dtype)
        if self.tied:
            kernel = tf.transpose(kernel)
        logits = product(tf.cast(inputs, dtype), kernel)
        return tf.cast(logits, tf.float32) + tf.cast(bias, tf.float32)

    def _on_stages(
        self, functions: list[Any], inputs: tf.Tensor, weights: list[Any]
    ) -> list[ShardStatistics]:
        """Runs the function of each slice on its stage."""
        by_stage: dict[int | None, list[int]] = {}
        for number in range(len(functions)):
            stage = stage_of(self.stages, number)
            by_stage.setdefault(stage, []).append(number)
        found: dict[int, Any] = {}
        for stage, numbers in by_stage.items():
            run = self._run_together([functions[number] for number in numbers])
            # The inputs are given once, so that their gradients leave the stage once.
            results = placed(stage, run)(inputs, [weights[each] for each in numbers])
            found |= dict(zip(numbers, results, strict=True))
        return [ShardStatistics(*found[number]) for number in sorted(found)]

    def _run_together(self, functions: list[Any]) -> Any:
        """Returns a function from inputs and weights to the results of all."""

        def run(inputs: tf.Tensor, weights: list[Any]) -> list[Any]:
            given = [(inputs, *pair) for pair in weights]
            if self.recompute:
                return recomputed(functions)(given)
            pairs = zip(functions, given, strict=True)
            return [tuple(function(*own)) for function, own in pairs]

        return run

    def _statistics(
        self,
        targets: tf.Tensor,
        number: int,
        smoothed: bool,
        inputs: tf.Tensor,
        kernel: tf.Tensor,
        bias: tf.Tensor,
    ) -> ShardStatistics:
        logits = self._logits(inputs, kernel, bias)
        return shard_statistics(logits, targets, self.vocabulary[number], smoothed)
