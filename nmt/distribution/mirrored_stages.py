"""Mirrored variables that are not on the strategy's own devices."""

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import tensorflow as tf


class _StageDevices:
    """What `MirroredStrategy` takes for a variable to put another one beside.

    Its creator takes `colocate_with`, which no public function passes on, and reads
    this one attribute of it. The test of this module fails when that changes.
    """

    def __init__(self, devices: Sequence[str]) -> None:
        self._devices = tuple(devices)


@contextlib.contextmanager
def mirrored_on(devices: Sequence[str]) -> Iterator[None]:
    """Puts the copies of the variables made inside on these devices.

    Args:
        devices: One for each replica of the strategy in scope, full names.
    """

    def create(next_creator: Any, **kwargs: Any) -> tf.Variable:
        # The innermost scope is asked first.
        kwargs.setdefault("colocate_with", _StageDevices(devices))
        return next_creator(**kwargs)

    with tf.variable_creator_scope(create):
        yield
