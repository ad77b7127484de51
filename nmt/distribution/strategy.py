"""The `tf.distribute` strategy that a run uses."""

from collections.abc import Sequence

import tensorflow as tf

from nmt.config import DistributionConfig
from nmt.errors import UserError


def allow_memory_growth() -> None:
    """Lets TensorFlow take graphics memory as it needs it, not all at once.

    Must run before TensorFlow first uses a GPU; does nothing where there is none.
    """
    for device in tf.config.list_physical_devices("GPU"):
        tf.config.experimental.set_memory_growth(device, True)


def configure_devices(config: DistributionConfig) -> None:
    """Sets up the machine's devices; must run before TensorFlow first uses one.

    Graphics memory is taken as needed, not all at once. With `logical_devices` the
    one CPU shows as several, to try on any machine what needs several devices.

    Raises:
        UserError: TensorFlow already runs with other devices.
    """
    allow_memory_growth()
    if not config.logical_devices:
        return
    cpu = tf.config.list_physical_devices("CPU")[0]
    logical = [tf.config.LogicalDeviceConfiguration()] * config.logical_devices
    try:
        tf.config.set_logical_device_configuration(cpu, logical)
    except RuntimeError as error:
        raise UserError(
            f"distribution.logical_devices={config.logical_devices}: TensorFlow is "
            "already running; set it at the start of the process"
        ) from error


def mirrored_strategy(devices: Sequence[str]) -> tf.distribute.Strategy:
    """Returns a strategy with one replica on each of the named devices.

    On CPUs, sums over replicas are made on one device: the collective operations that
    TensorFlow would choose wait for one another when threads are few.
    """
    operations = None
    if all("CPU" in device for device in devices):
        operations = tf.distribute.ReductionToOneDevice()
    return tf.distribute.MirroredStrategy(devices, cross_device_ops=operations)
