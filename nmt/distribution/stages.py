"""Stages: the devices that one copy of a model is spread over.

Code that is placed says a stage, a small number, and runs as it is where there are no
stages: on one device, from a file, in another program. Which devices they are is said
once, by a `DeviceGrid` in whose scope a model is made and runs.
"""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import keras
import tensorflow as tf

from nmt.distribution.mirrored_stages import mirrored_on
from nmt.errors import UserError

# Not local to a thread: `MirroredStrategy` runs every replica in a thread of its own.
_grids: list["DeviceGrid"] = []


class DeviceGrid:
    """The devices of every stage of every replica.

    Args:
        devices: `devices[replica][stage]`, as `CPU:1` or in full (in a cluster). With a
            strategy of several replicas, the first of each is the strategy's own.

    Raises:
        UserError: names a device that there is not. TensorFlow itself would take
            another one without a word.

    Example:
        >>> DeviceGrid([["CPU:0"]]).devices
        (('/job:localhost/replica:0/task:0/device:CPU:0',),)
    """

    def __init__(self, devices: Sequence[Sequence[str]]) -> None:
        existing = [_full(each.name) for each in tf.config.list_logical_devices()]
        self.devices = tuple(tuple(map(_full, row)) for row in devices)
        for device in (device for row in self.devices for device in row):
            if device not in existing:
                raise UserError(
                    f"there is no device {_short(device)}, only "
                    f"{', '.join(map(_short, existing))}; with --logical_devices=N "
                    "one CPU shows as N devices"
                )

    @contextlib.contextmanager
    def scope(self) -> Iterator[None]:
        """Makes stages of code inside mean these devices, in all threads."""
        _grids.append(self)
        try:
            yield
        finally:
            _grids.pop()

    def column(self, stage: int) -> tuple[str, ...]:
        """Returns the devices of a stage, one for each replica.

        Raises:
            UserError: there are not so many stages.
        """
        if not 0 <= stage < len(self.devices[0]):
            raise UserError(
                f"there is no device for stage {stage}: there are "
                f"{len(self.devices[0])} a replica, counted from 0"
            )
        return tuple(row[stage] for row in self.devices)


def variables_on(stage: int | None) -> contextlib.AbstractContextManager[None]:
    """Puts the variables made inside on a stage, of every replica.

    Args:
        stage: Its number. None, and without a grid in scope: nothing is changed.
    """
    if stage is None or not _grids:
        return contextlib.nullcontext()
    devices = _grids[-1].column(stage)
    if tf.distribute.has_strategy():
        return mirrored_on(devices)
    return tf.device(devices[0])


def is_placed(stage: int | None) -> bool:
    """Returns whether a stage means a device: there is a grid in scope."""
    return stage is not None and bool(_grids)


def on_stage(stage: int | None) -> contextlib.AbstractContextManager[None]:
    """Runs operations inside on a stage of the replica in context; no gradients.

    Args:
        stage: Its number. None, and without a grid in scope: nothing is changed.
    """
    if stage is None or not _grids:
        return contextlib.nullcontext()
    return tf.device(_device(stage))


def beside(
    variable: keras.Variable | tf.Variable,
) -> contextlib.AbstractContextManager[None]:
    """Runs operations inside on the device of a variable, of the replica in context.

    Without a grid in scope nothing is changed.
    """
    if not _grids:
        return contextlib.nullcontext()
    is_of_keras = isinstance(variable, keras.Variable)
    return tf.device((variable.value if is_of_keras else variable).device)


def sum_beside(
    gradients: Sequence[Any], variables: Sequence[keras.Variable]
) -> list[Any]:
    """Sums gradients over replicas, in replica context.

    Args:
        gradients: Dense, or slices.
        variables: What each is the gradient of: with a grid in scope the sum is on the
            variable's devices, else on the replicas' own.
    """
    context = tf.distribute.get_replica_context()
    if not _grids or context.num_replicas_in_sync == 1:
        return context.all_reduce(tf.distribute.ReduceOp.SUM, gradients)

    def reduce(strategy: tf.distribute.Strategy, gradients: Any) -> Any:
        return [
            strategy.extended.reduce_to(
                tf.distribute.ReduceOp.SUM, gradient, each.value
            )
            for gradient, each in zip(gradients, variables, strict=True)
        ]

    return context.merge_call(reduce, args=(list(gradients),))


def placed(stage: int | None, function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function that runs on a stage of the replica in context, backward too.

    A tape runs gradients on the device of whoever asks for them, not on that of the
    forward operations: `tf.device` around a layer alone leaves all backward products
    of all layers on one device. Here function and gradient are one operation for the
    tape, with a gradient that goes to the stage by itself.

    Args:
        stage: Its number. None, and without a grid in scope when the function is
            called: the function is called as it is.
        function: Of any nests of arguments, to any nest. Gradients flow to floating
            point tensors among its arguments, and to the variables that it reads;
            not to tensors that it finds elsewhere, and not into keyword arguments.

    Example:
        >>> with DeviceGrid([["CPU:0"]]).scope():
        ...     placed(0, tf.square)(tf.constant(3.0)).device
        '/job:localhost/replica:0/task:0/device:CPU:0'
    """

    def run(*arguments: Any, **options: Any) -> Any:
        if stage is None or not _grids:
            return function(*arguments, **options)
        return _run_on(
            _device(stage), lambda *given: function(*given, **options), arguments
        )

    return run


def _run_on(
    device: str, function: Callable[..., Any], arguments: tuple[Any, ...]
) -> Any:
    leaves = tf.nest.flatten(arguments)
    places = [index for index, leaf in enumerate(leaves) if _has_gradient(leaf)]
    # What is no tensor with a gradient goes around the operation that the tape sees.
    result: list[Any] = []

    @tf.custom_gradient
    def operation(*tensors: tf.Tensor) -> Any:
        given = list(leaves)
        # Copies: a tensor in two places would get the gradients of both at each.
        tensors = tuple(map(tf.identity, tensors))
        for index, tensor in zip(places, tensors, strict=True):
            given[index] = tensor
        # Persistent: a caller's tape may ask for the gradient again.
        with tf.device(device), tf.GradientTape(persistent=True) as tape:
            tape.watch(tensors)
            result[:] = [function(*tf.nest.pack_sequence_as(arguments, given))]
        outputs = [leaf for leaf in tf.nest.flatten(result) if _has_gradient(leaf)]

        def gradient(
            *d_outputs: tf.Tensor, variables: Sequence[tf.Variable] | None = None
        ) -> Any:
            read = list(variables or ())
            with tf.device(device):
                found = tape.gradient(
                    outputs, [*tensors, *read], output_gradients=d_outputs
                )
                d_tensors = [
                    tf.zeros_like(tensor) if each is None else each
                    for tensor, each in zip(tensors, found, strict=False)
                ]
            return (d_tensors, found[len(tensors) :]) if read else d_tensors

        return outputs, gradient

    # The operation's outputs too: a big one would go to the caller's device and back.
    with tf.device(device):
        outputs = iter(operation(*(leaves[index] for index in places)))
    found = [
        next(outputs) if _has_gradient(leaf) else leaf
        for leaf in tf.nest.flatten(result)
    ]
    return tf.nest.pack_sequence_as(result, found)[0]


def _device(stage: int) -> str:
    """Returns the device of a stage of the replica in context."""
    devices = _grids[-1].column(stage)
    context = tf.distribute.get_replica_context()
    if context is None:
        return devices[0]
    # A process has the devices of its own replicas only.
    replica = tf.get_static_value(context.replica_id_in_sync_group)
    return devices[int(replica) % len(devices)]


def _has_gradient(leaf: Any) -> bool:
    return isinstance(leaf, tf.Tensor) and leaf.dtype.is_floating


def _full(name: str) -> str:
    """Returns a device's name with job, replica and task."""
    local = tf.DeviceSpec(job="localhost", replica=0, task=0)
    return local.make_merged_spec(tf.DeviceSpec.from_string(name)).to_string()


def _short(name: str) -> str:
    spec = tf.DeviceSpec.from_string(name)
    short = f"{spec.device_type}:{spec.device_index}"
    return short if spec.job == "localhost" else f"{short} of {spec.job} {spec.task}"
