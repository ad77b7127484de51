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

    Attributes:
        compilations: With `config.jit_compile`, shapes for which the step was compiled.

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
        self.compilations = 0
        self._own_gradients = self._sums_and_gradients
        if config.jit_compile:
            self._own_gradients = tf.function(
                self._sums_and_gradients, jit_compile=True, autograph=False
            )
        ids = tf.TensorSpec([None, None], tf.int32)
        self._gradients = tf.function(
            self._all_gradients,
            input_signature=None
            if static_shapes
            else [ids, ids, tf.TensorSpec([], tf.float32)],
        )
        self._apply = tf.function(self._apply_all)

    def __call__(
        self,
        source: tf.Tensor,
        target: tf.Tensor,
        learning_rate: float,
        loss_scale: float = 1.0,
    ) -> tuple[StepResult, bool]:
        """Makes one update.

        Args:
            source: int32, `[batch, source_len]`, the batch of all replicas together.
            target: int32, `[batch, target_len]`.
            learning_rate: The rate of this update.
            loss_scale: Factor of the loss while gradients are computed; they are
                divided by it again.

        Returns:
            The figures of the batch, and whether the update was made.
        """
        scale = tf.constant(loss_scale, tf.float32)
        result, gradients = self._gradients(source, target, scale)
        finite = bool(tf.math.is_finite(result.gradient_norm))
        if finite:
            self._optimizer.learning_rate = learning_rate
            self._apply(gradients)
        return result, finite

    def _all_gradients(
        self, source: tf.Tensor, target: tf.Tensor, loss_scale: tf.Tensor
    ) -> Any:
        result, gradients = self._strategy.run(
            self._replica_gradients, args=(source, target, loss_scale)
        )
        # After the sum all replicas hold the same figures.
        figures = tf.nest.map_structure(
            lambda value: self._strategy.experimental_local_results(value)[0], result
        )
        return figures, gradients

    def _replica_gradients(
        self, source: tf.Tensor, target: tf.Tensor, loss_scale: tf.Tensor
    ) -> tuple[StepResult, list[Any]]:
        sums, gradients = self._own_gradients(
            self._own_rows(source), self._own_rows(target), loss_scale
        )
        variables = self._model.trainable_variables
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
            gradients,
            tf.maximum(count, 1.0) * loss_scale,
            self._config.max_gradient_norm,
            variables,
        )
        return StepResult(sums, norm), gradients

    def _sums_and_gradients(
        self, source: tf.Tensor, target: tf.Tensor, loss_scale: tf.Tensor
    ) -> tuple[LossSum, list[Any]]:
        # Runs once a shape, when it is traced.
        self.compilations += self._config.jit_compile
        with tf.GradientTape() as tape:
            sums = self._model.losses(
                source,
                target,
                label_smoothing=self._config.label_smoothing,
                training=True,
                static_shapes=self._static_shapes,
            )
            loss = sums.loss * loss_scale
        variables = [each.value for each in self._model.trainable_variables]
        return sums, tape.gradient(loss, variables)

    def _own_rows(self, ids: tf.Tensor) -> tf.Tensor:
        """Returns every n-th row, for n replicas, from this replica's number on.

        Rows of padding make up the last round, so that no replica is without a row.
        """
        replicas = self._strategy.num_replicas_in_sync
        if replicas == 1:
            return ids
        # Of known shape where that of the batch is, as XLA needs it.
        rows = ids.shape[0] or tf.shape(ids)[0]
        ids = tf.pad(ids, [[0, -rows % replicas], [0, 0]])
        rounds = (rows + replicas - 1) // replicas
        ids = tf.reshape(ids, [rounds, replicas, ids.shape[1] or tf.shape(ids)[1]])
        replica = tf.distribute.get_replica_context().replica_id_in_sync_group
        return tf.gather(ids, replica, axis=1)

    def _apply_all(self, gradients: Any) -> None:
        variables = self._model.trainable_variables
        self._strategy.run(
            lambda own: self._optimizer.apply(own, variables), args=(gradients,)
        )
