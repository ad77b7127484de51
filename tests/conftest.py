"""What all tests share: capped threads, eight logical CPU devices, fixed seeds."""

import os

# Before TensorFlow is loaded, here and in the processes that tests start.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import keras
import pytest
import tensorflow as tf

tf.config.threading.set_intra_op_parallelism_threads(1)
tf.config.threading.set_inter_op_parallelism_threads(1)
tf.config.set_logical_device_configuration(
    tf.config.list_physical_devices("CPU")[0],
    [tf.config.LogicalDeviceConfiguration()] * 8,
)
tf.config.experimental.enable_op_determinism()


@pytest.fixture(autouse=True)
def seeds() -> None:
    """Gives every test the same random numbers, whatever ran before it."""
    keras.utils.set_random_seed(20140901)
