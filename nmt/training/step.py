"""One update: gradients of a batch over all replicas, and their use."""

from typing import Any, NamedTuple

import keras
import tensorflow as tf

from nmt.config import TrainingConfig
from nmt.distribution import sum_beside
from nmt.errors import UserError
from nmt.models.seq2seq import LossSum, Seq2Seq
from nmt.training.gradients import beside_each, combine_rows, divide_and_rescale


class StepResult(NamedTuple):
    """What one batch gave, summed over all replicas.

    Attributes:
        sums: `LossSum` of the batch.
        gradient_norm: float32 scalar, before any rescale.
    """

    sums: LossSum
    gradient_norm: tf.Tensor


class TrainStep:
    """The recipe of one update.

    With L the loss summed over the tokens of all sentences, over all replicas
    (Sutskever et al., 2014, section 3.4):

        g = grad L / n,  s = ||g||_2,  g <- max_norm g / s  if s > max_norm

    n is the number of sentences (the paper) or of target tokens. The sum over replicas
    comes before the norm, so that any number of replicas makes the same update. An
    update whose norm is not finite is left out.

    Args:
        model: The model, made in the scope of `strategy`.
        optimizer: From `make_optimizer`, in the same scope.
        strategy: Where the replicas are.
        config: Divisor, norm, smoothing.
        static_shapes: Whether batches have a few fixed shapes: one graph a shape, all
            tensors of known size. Otherwise one graph serves all shapes.

    Raises:
        UserError: `config.divide_by` is neither `sentences` nor `tokens`.
    """

    def __init__(
        self,
        model: Seq2Seq,
        optimizer: keras.optimizers.Optimizer,
        strategy: tf.distribute.Strategy,
        config: TrainingConfig,
        static_shapes: bool = False,
    ) -> None:
        if config.divide_by not in ("sentences", "tokens"):
            raise UserError(
                f"training.divide_by={config.divide_by!r}: choose 'sentences' (the "
                "LSTM paper) or 'tokens'"
            )
        self._model = model
        self._optimizer = optimizer
        self._strategy = strategy
        self._config = config
        self._static_shapes = static_shapes
        with strategy.scope():
            optimizer.build(model.trainable_variables)
        ids = tf.TensorSpec([None, None], tf.int32)
        self._gradients = tf.function(
            self._all_gradients, input_signature=None if static_shapes else [ids, ids]
        )
        self._apply = tf.function(self._apply_all)

    def __call__(
        self, source: tf.Tensor, target: tf.Tensor, learning_rate: float
    ) -> tuple[StepResult, bool]:
        """Makes one update.

        Args:
            source: int32, `[batch, source_len]`, the batch of all replicas together.
            target: int32, `[batch, target_len]`.
            learning_rate: The rate of this update.

        Returns:
            The figures of the batch, and whether the update was made.
        """
        result, gradients = self._gradients(source, target)
        finite = bool(tf.math.is_finite(result.gradient_norm))
        if finite:
            self._optimizer.learning_rate = learning_rate
            self._apply(gradients)
        return result, finite

    def _all_gradients(self, source: tf.Tensor, target: tf.Tensor) -> Any:
        result, gradients = self._strategy.run(
            self._replica_gradients, args=(source, target)
        )
        # After the sum all replicas hold the same figures.
        figures = tf.nest.map_structure(
            lambda value: self._strategy.experimental_local_results(value)[0], result
        )
        return figures, gradients

    def _replica_gradients(
        self, source: tf.Tensor, target: tf.Tensor
    ) -> tuple[StepResult, list[Any]]:
        source, target = self._own_rows(source), self._own_rows(target)
        variables = self._model.trainable_variables
        with tf.GradientTape() as tape:
            sums = self._model.losses(
                source,
                target,
                label_smoothing=self._config.label_smoothing,
                training=True,
                static_shapes=self._static_shapes,
            )
        gradients = tape.gradient(sums.loss, [each.value for each in variables])
        gradients = sum_beside(gradients, variables)
        replica = tf.distribute.get_replica_context()
        sums = LossSum(*replica.all_reduce(tf.distribute.ReduceOp.SUM, list(sums)))
        # Adam and Adadelta move every row, so that slices would save nothing.
        sparse = self._config.optimizer == "sgd" and not self._static_shapes
        combine = combine_rows if sparse else tf.convert_to_tensor
        gradients = beside_each(variables, combine, gradients)
        by_sentences = self._config.divide_by == "sentences"
        count = sums.sentences if by_sentences else sums.tokens
        gradients, norm = divide_and_rescale(
            gradients, tf.maximum(count, 1.0), self._config.max_gradient_norm, variables
        )
        return StepResult(sums, norm), gradients

    def _own_rows(self, ids: tf.Tensor) -> tf.Tensor:
        """Returns every n-th row, for n replicas, from this replica's number on.

        Rows of padding make up the last round, so that no replica is without a row.
        """
        replicas = self._strategy.num_replicas_in_sync
        if replicas == 1:
            return ids
        missing = -tf.shape(ids)[0] % replicas
        ids = tf.pad(ids, [[0, missing], [0, 0]])
        replica = tf.distribute.get_replica_context().replica_id_in_sync_group
        return tf.gather(ids, tf.range(replica, tf.shape(ids)[0], replicas))

    def _apply_all(self, gradients: Any) -> None:
        variables = self._model.trainable_variables
        self._strategy.run(
            lambda own: self._optimizer.apply(own, variables), args=(gradients,)
        )
