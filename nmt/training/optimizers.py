"""Keras' optimizers, fed with gradients that are summed over replicas already."""

from typing import Any

import keras

from nmt.config import TrainingConfig
from nmt.distribution import beside
from nmt.errors import UserError

# Slots are stored under it; Keras' own names count the optimizers of the process.
_NAME = "optimizer"


class _Reduced(keras.optimizers.Optimizer):
    """Keeps Keras from summing gradients over replicas a second time.

    The norm rescale needs the sum, and Keras would take the sum only after its own
    clipping, replica by replica. The hook is private to Keras; the test of two replicas
    against one device fails when it changes.
    """

    def _all_reduce_sum_gradients(self, grads_and_vars: Any) -> Any:
        return list(grads_and_vars)

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        """Makes one variable's update where it lives."""
        with beside(variable):
            super().update_step(gradient, variable, learning_rate)


class ReducedSGD(_Reduced, keras.optimizers.SGD):
    """w <- w - r g, for gradients that are summed over replicas already."""


class ReducedAdam(_Reduced, keras.optimizers.Adam):
    """Kingma and Ba (2015), for gradients that are summed over replicas already."""


class ReducedAdadelta(_Reduced, keras.optimizers.Adadelta):
    """Zeiler (2012), for gradients that are summed over replicas already."""


def make_optimizer(config: TrainingConfig) -> keras.optimizers.Optimizer:
    """Returns the optimizer called `config.optimizer`, without clipping of its own.

    `sgd` is plain, without momentum (the LSTM paper); `adam` has Keras' constants
    (0.9, 0.999, 1e-7); `adadelta` has rho 0.95 and epsilon 1e-6, where the method's
    own rate is 1.0.

    Raises:
        UserError: no such optimizer.
    """
    rate = config.learning_rate
    if config.optimizer == "sgd":
        return ReducedSGD(learning_rate=rate, name=_NAME)
    if config.optimizer == "adam":
        return ReducedAdam(learning_rate=rate, name=_NAME)
    if config.optimizer == "adadelta":
        return ReducedAdadelta(learning_rate=rate, rho=0.95, epsilon=1e-6, name=_NAME)
    raise UserError(
        f"training.optimizer={config.optimizer!r}: choose 'sgd' (the LSTM paper), "
        "'adam' or 'adadelta'"
    )
