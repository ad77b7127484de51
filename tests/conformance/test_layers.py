"""What a user of Keras expects of every public layer."""

import json
import pathlib

import keras
import numpy as np
import pytest
import tensorflow as tf

import nmt.layers
from tests.conformance.registry import (
    ABSTRACT,
    EXACT,
    EXAMPLES,
    batch,
    build,
    call,
    first_output,
    make_model,
    sequences,
    signature,
)
from tests.tolerance import assert_close

every_layer = pytest.mark.parametrize("name", EXAMPLES)


def test_every_public_layer_is_in_the_registry() -> None:
    public = {
        value
        for value in map(vars(nmt.layers).get, nmt.layers.__all__)
        if isinstance(value, type) and issubclass(value, keras.layers.Layer)
    }
    assert public == {type(example()) for example in EXAMPLES.values()} | ABSTRACT


def test_every_loop_of_the_wrapper_is_in_the_registry() -> None:
    for kernel in ("quick", "plain", "hoisted"):
        assert EXAMPLES[f"AttentionWrapper.{kernel}"]().kernel_in_use == kernel


@every_layer
def test_config_makes_the_same_layer(name: str) -> None:
    layer = EXAMPLES[name](name="given")
    config = json.loads(json.dumps(layer.get_config()))
    copy = type(layer).from_config(config)
    assert copy.get_config() == layer.get_config()
    assert copy.name == "given"


# Keras hands h5py a variable that does not know NumPy 2's `copy`.
@pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
@every_layer
def test_keras_file_keeps_the_outputs(name: str, tmp_path: pathlib.Path) -> None:
    ids, _ = batch()
    model = make_model(EXAMPLES[name]())
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(loaded(ids), model(ids))


@every_layer
def test_saved_model_keeps_the_outputs(name: str, tmp_path: pathlib.Path) -> None:
    layer = EXAMPLES[name]()
    build(layer)
    module = tf.Module()
    module.layer = layer
    module.run = tf.function(
        lambda inputs: first_output(call(layer, inputs)),
        input_signature=[signature(layer)],
    )
    inputs = sequences(layer)
    expected = module.run(inputs)
    tf.saved_model.save(module, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    np.testing.assert_array_equal(loaded.run(inputs), expected)
    assert loaded.run(inputs[:2, :3]).shape[0] == 2


@every_layer
def test_checkpoint_restores_every_weight(name: str, tmp_path: pathlib.Path) -> None:
    layer, other = EXAMPLES[name](), EXAMPLES[name]()
    for each in (layer, other):
        build(each)
    path = tf.train.Checkpoint(layer=layer).write(str(tmp_path / "checkpoint"))
    tf.train.Checkpoint(layer=other).read(path).assert_consumed()
    for restored, weight in zip(other.weights, layer.weights, strict=True):
        np.testing.assert_array_equal(restored, weight)


@every_layer
def test_function_equals_eager(name: str) -> None:
    layer = EXAMPLES[name]()
    inputs = sequences(layer)
    expected = tf.nest.flatten(call(layer, inputs))
    function = tf.function(
        lambda inputs: call(layer, inputs),
        input_signature=[signature(layer)],
    )
    results = tf.nest.flatten(function(inputs))
    for result, value in zip(results, expected, strict=True):
        assert_close(result, value, "float32")


@every_layer
def test_mixed_precision_computes_in_bfloat16(name: str) -> None:
    exact = EXAMPLES[name]()
    inputs = sequences(exact)
    expected = first_output(call(exact, inputs))
    layer = EXAMPLES[name](dtype="mixed_bfloat16")
    build(layer)
    layer.set_weights(exact.get_weights())
    outputs = first_output(call(layer, inputs))
    assert {weight.dtype for weight in layer.weights} <= {"float32"}
    assert outputs.dtype == (tf.float32 if type(layer) in EXACT else tf.bfloat16)
    assert_close(tf.cast(outputs, tf.float32), expected, "bfloat16")


@every_layer
def test_masks_of_the_embedding_make_padding_void(name: str) -> None:
    model, (ids, _) = make_model(EXAMPLES[name]()), batch()
    longer = np.pad(ids, [(0, 0), (0, 3)])
    assert_close(model(longer), model(ids), "float32")


@every_layer
def test_fit_lowers_the_loss(name: str) -> None:
    model = make_model(EXAMPLES[name]())
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(0.1), loss)
    history = model.fit(*batch(), epochs=40, verbose=0).history["loss"]
    assert history[-1] < 0.5 * history[0]


@every_layer
def test_gradients_of_two_replicas_add_up_to_those_of_one_device(name: str) -> None:
    strategy = tf.distribute.MirroredStrategy(
        ["CPU:0", "CPU:1"],
        # Collectives of several strategies in one process get in each other's way.
        cross_device_ops=tf.distribute.ReductionToOneDevice(),
    )
    with strategy.scope():
        layer = EXAMPLES[name]()
        build(layer)

    @tf.function
    def gradients(inputs: tf.Tensor) -> list[tf.Tensor]:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(first_output(call(layer, inputs)) ** 2)
        weights = [weight.value for weight in layer.trainable_variables]
        found = tape.gradient(loss, weights)
        return [tf.convert_to_tensor(gradient) for gradient in found]

    inputs = sequences(layer)
    halves = tf.split(inputs, 2)
    shares = strategy.experimental_distribute_values_from_function(
        lambda context: halves[context.replica_id_in_sync_group]
    )
    replicas = strategy.run(gradients, args=(shares,))
    pairs = zip(replicas, gradients(inputs), strict=True)
    for gradient, expected in pairs:
        assert_close(strategy.reduce("SUM", gradient, axis=None), expected, "float32")
