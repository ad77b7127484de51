"""Mirrored variables away from the strategy's own devices."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from nmt.distribution.mirrored_stages import mirrored_on

DEVICES = [f"/job:localhost/replica:0/task:0/device:CPU:{i}" for i in (1, 5)]


@pytest.mark.parametrize(
    "operations",
    [tf.distribute.ReductionToOneDevice, tf.distribute.HierarchicalCopyAllReduce],
)
def test_copies_and_slots_are_on_the_devices_and_stay_equal(operations: type) -> None:
    strategy = tf.distribute.MirroredStrategy(
        ["CPU:0", "CPU:4"], cross_device_ops=operations()
    )
    with strategy.scope():
        with mirrored_on(DEVICES):
            variable = keras.Variable(np.ones(3, np.float32))
        optimizer = keras.optimizers.Adam(0.1)
        optimizer.build([variable])
    values = [variable, *optimizer.variables[2:]]
    for each in values:
        assert [copy.device for copy in each.value.values] == DEVICES

    @tf.function
    def update() -> None:
        context = tf.distribute.get_replica_context()
        number = tf.cast(context.replica_id_in_sync_group, tf.float32)
        optimizer.apply([tf.fill([3], 1.0 + number)], [variable])

    strategy.run(update)
    for each in values:
        np.testing.assert_array_equal(*each.value.values)
    assert not np.array_equal(variable.numpy(), np.ones(3))
