"""The `tf.distribute` strategy that a run uses."""

from collections.abc import Sequence

import tensorflow as tf

from nmt.config import DistributionConfig, PlacementConfig
from nmt.distribution.cluster import multi_worker_strategy
from nmt.distribution.placement import check_placement
from nmt.errors import UserError


def allow_memory_growth() -> None:
    """Lets TensorFlow take graphics memory as it needs it, not all at once.

    Must run before TensorFlow first uses a GPU; does nothing where there is none.
    """
    for device in tf.config.list_physical_devices("GPU"):
        tf.config.experimental.set_memory_growth(device, True)


def configure_devices(
    config: DistributionConfig, placement: PlacementConfig | None = None
) -> tf.distribute.Strategy | None:
    """Sets up the machine's devices; must run before TensorFlow first uses one.

    Graphics memory is taken as needed, not all at once. With `logical_devices` the
    one CPU shows as several, to try on any machine what needs several devices.

    Args:
        config: Devices and strategy.
        placement: What a replica needs, for `multi_worker`.

    Returns:
        The strategy, where it has to be there from the start: it waits for other
        hosts, or for a TPU. Else None, for `make_layout` to choose.

    Raises:
        UserError: TensorFlow already runs with other devices, or what the strategy
            needs is not there.
    """
    allow_memory_growth()
    if config.logical_devices:
        cpu = tf.config.list_physical_devices("CPU")[0]
        logical = [tf.config.LogicalDeviceConfiguration()] * config.logical_devices
        try:
            tf.config.set_logical_device_configuration(cpu, logical)
        except RuntimeError as error:
            raise UserError(
                f"distribution.logical_devices={config.logical_devices}: TensorFlow is "
                "already running; set it at the start of the process"
            ) from error
    if config.strategy == "tpu":
        return tpu_strategy(config.tpu)
    if config.strategy == "multi_worker":
        gpus = len(tf.config.list_physical_devices("GPU"))
        needed = replica_size(config, placement or PlacementConfig(), max(gpus, 1))
        return multi_worker_strategy(max(gpus // needed, 1))
    return None


def tpu_strategy(name: str) -> tf.distribute.TPUStrategy:
    """Connects to a TPU; each of its cores is a replica.

    Args:
        name: As `TPUClusterResolver` takes it: `local` on a TPU host, or the name or
            gRPC address of one.

    Raises:
        UserError: there is no such TPU, or this TensorFlow cannot use one.
    """
    try:
        resolver = tf.distribute.cluster_resolver.TPUClusterResolver(tpu=name)
        if name != "local":
            tf.config.experimental_connect_to_cluster(resolver)
        tf.tpu.experimental.initialize_tpu_system(resolver)
    except (ValueError, tf.errors.OpError) as error:
        raise UserError(
            f"distribution.tpu={name!r}: no TPU can be used: "
            f"{str(error).splitlines()[0]}; it needs a TPU host and the package "
            "tensorflow-tpu in place of tensorflow"
        ) from error
    return tf.distribute.TPUStrategy(resolver)


def replica_size(
    config: DistributionConfig, placement: PlacementConfig, devices: int
) -> int:
    """Returns how many of a process's devices a replica has.

    Raises:
        UserError: there are too few for the replicas asked for.
    """
    check_placement(placement)
    if config.replicas > devices:
        raise UserError(
            f"distribution.replicas={config.replicas}: there are {devices} devices"
        )
    if config.replicas:
        return devices // config.replicas
    if placement.auto:
        raise UserError(
            f"placement.auto with distribution.strategy={config.strategy}: give "
            "distribution.replicas, which share the devices"
        )
    needed = 1 + max((*placement.layers, *placement.softmax_stages), default=0)
    # Too few devices for one replica: what is missing is named with the placement.
    return min(needed, devices)


def mirrored_strategy(devices: Sequence[str]) -> tf.distribute.Strategy:
    """Returns a strategy with one replica on each of the named devices.

    On CPUs, sums over replicas are made on one device: the collective operations that
    TensorFlow would choose wait for one another when threads are few.
    """
    operations = None
    if all("CPU" in device for device in devices):
        operations = tf.distribute.ReductionToOneDevice()
    return tf.distribute.MirroredStrategy(devices, cross_device_ops=operations)
