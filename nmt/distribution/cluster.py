"""The processes that train one model together, each on a host of its own."""

import contextlib
import json
import os
from collections.abc import Iterator
from typing import Any

import tensorflow as tf

from nmt.errors import UserError

_EXAMPLE = (
    '{"cluster": {"worker": ["host0:2222", "host1:2222"]}, '
    '"task": {"type": "worker", "index": 0}}'
)


# What collective operations raise once a process is gone.
_LOST = (
    tf.errors.AbortedError,
    tf.errors.CancelledError,
    tf.errors.DeadlineExceededError,
    tf.errors.FailedPreconditionError,
    tf.errors.InternalError,
    tf.errors.UnavailableError,
)


class Cluster:
    """What a process knows of the others.

    Args:
        strategy: Joins the processes; None: this one is alone, the chief, with no one
            to wait for.

    Attributes:
        strategy: The same.
        is_chief: Whether this process is the one that writes.

    Example:
        >>> Cluster().is_chief
        True
    """

    def __init__(
        self, strategy: tf.distribute.MultiWorkerMirroredStrategy | None = None
    ) -> None:
        self.strategy = strategy
        self.is_chief = True
        if strategy is not None:
            resolver = strategy.cluster_resolver
            chief = "chief" if "chief" in resolver.cluster_spec().jobs else "worker"
            self.is_chief = (resolver.task_type, resolver.task_id) == (chief, 0)
            number = tf.TensorSpec([], tf.float64)
            self._sum = tf.function(self._sum_of_all, input_signature=[number])

    @contextlib.contextmanager
    def watch(self) -> Iterator[None]:
        """Says in one line, inside, that another process was lost.

        TensorFlow cannot go on with those that are left.

        Raises:
            UserError: another process has ended or cannot be reached.
        """
        try:
            yield
        except _LOST as error:
            if self.strategy is None:
                raise
            raise UserError(
                "another process of TF_CONFIG has ended or cannot be reached "
                f"({str(error).splitlines()[0][:100]}); start all of them again: they "
                "go on from the last checkpoint"
            ) from error

    def wait(self) -> None:
        """Returns once every process has come here."""
        self.any(False)

    def any(self, flag: bool) -> bool:
        """Returns whether the flag of any process is true; all must call it."""
        return flag if self.strategy is None else float(self._sum(float(flag))) > 0

    def of_chief(self, value: float) -> float:
        """Returns the chief's value, in every process; all must call it.

        What decides how training goes on must not differ by a last bit between hosts:
        one would leave the loop, and the others wait for it.
        """
        if self.strategy is None:
            return value
        return float(self._sum(value if self.is_chief else 0.0))

    def _sum_of_all(self, value: tf.Tensor) -> tf.Tensor:
        strategy = self.strategy
        assert strategy is not None
        replicas = len(strategy.extended.worker_devices)

        def once(value: tf.Tensor) -> tf.Tensor:
            # The other replicas of a process would add its value again.
            number = tf.distribute.get_replica_context().replica_id_in_sync_group
            return tf.where(number % replicas == 0, value, tf.zeros_like(value))

        values = strategy.run(once, args=(value,))
        return strategy.reduce(tf.distribute.ReduceOp.SUM, values, axis=None)


def multi_worker_strategy(
    replicas: int,
) -> tf.distribute.MultiWorkerMirroredStrategy:
    """Joins the other processes that the environment's TF_CONFIG names.

    Must run before TensorFlow is used for anything. Returns once all are there.

    Args:
        replicas: Replicas of this process, on its first devices.

    Raises:
        UserError: TF_CONFIG is missing or cannot be used.
    """
    resolver = _resolver(os.environ.get("TF_CONFIG", ""), replicas)
    try:
        return tf.distribute.MultiWorkerMirroredStrategy(resolver)
    except (RuntimeError, tf.errors.OpError) as error:
        raise UserError(
            f"TF_CONFIG: cannot join the other processes: {str(error).splitlines()[0]}"
        ) from error


def _resolver(
    text: str, replicas: int
) -> tf.distribute.cluster_resolver.ClusterResolver:
    hint = f"for the first of two hosts it is {_EXAMPLE}"
    if not text:
        raise UserError(
            "distribution.strategy='multi_worker': the environment has no TF_CONFIG; "
            + hint
        )
    try:
        values: Any = json.loads(text)
        jobs, task = values["cluster"], values["task"]
        kind, index = task["type"], int(task["index"])
        address = jobs[kind][index] if index >= 0 else None
        known = set(jobs) <= {"chief", "worker"} and isinstance(address, str)
        cluster = tf.train.ClusterSpec(jobs)
    except (json.JSONDecodeError, LookupError, TypeError, ValueError) as error:
        raise UserError(f"TF_CONFIG: cannot be used ({error}); {hint}") from error
    if not known:
        raise UserError(f"TF_CONFIG: only jobs 'worker' and 'chief' train; {hint}")
    gpus = len(tf.config.list_physical_devices("GPU"))
    return tf.distribute.cluster_resolver.SimpleClusterResolver(
        cluster,
        task_type=kind,
        task_id=index,
        rpc_layer="grpc",
        num_accelerators={"GPU": replicas} if gpus else {},
    )
