from collections.abc import Callable
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

from nmt.layers.lstm import LSTM
from tests.layers.cases import EXECUTIONS, MASKS, mask_of
from tests.tolerance import assert_close

UNITS, WIDTH = 3, 2
OPTIONS = {
    "last_output": {},
    "sequences": {"return_sequences": True},
    "backwards": {"return_sequences": True, "go_backwards": True},
    "last_output_backwards": {"go_backwards": True},
    "zero_output": {"return_sequences": True, "zero_output_for_mask": True},
    "no_bias": {"use_bias": False},
}


def inputs(units: int = UNITS) -> tuple[tf.Tensor, list[tf.Tensor]]:
    """Returns sequences `[3, 4, WIDTH]` and an initial state."""
    random = np.random.default_rng(1)
    sequences = tf.constant(random.normal(size=(3, 4, WIDTH)), tf.float32)
    state = random.normal(size=(2, 3, units))
    return sequences, [tf.constant(array, tf.float32) for array in state]


def pair(units: int = UNITS, **options: Any) -> tuple[LSTM, keras.layers.LSTM]:
    """Returns our layer and Keras', with equal weights."""
    ours = LSTM(units, return_state=True, kernel="quick", **options)
    theirs = keras.layers.LSTM(units, return_state=True, **options)
    for layer in (ours, theirs):
        layer.build((None, None, WIDTH))
    random = np.random.default_rng(2)
    theirs.set_weights([random.normal(0, 0.5, w.shape) for w in theirs.weights])
    ours.set_weights(theirs.get_weights())
    return ours, theirs


def assert_equal_calls(
    ours: LSTM,
    theirs: keras.layers.LSTM,
    mask: np.ndarray | None,
    execution: Callable[[Any], Any] = EXECUTIONS["eager"],
) -> None:
    """Compares outputs and states, and the gradients that flow through both."""
    sequences, state = inputs(ours.units)

    def run(layer: keras.layers.LSTM) -> Any:
        variables = [variable.value for variable in layer.trainable_variables]
        sources = [sequences, *state, *variables]
        with tf.GradientTape() as tape:
            tape.watch(sources)
            results = layer(sequences, initial_state=state, mask=mask)
            # Another weight for each number, so that no two gradients are alike.
            loss = tf.add_n([tf.reduce_sum(tf.sin(3 * result)) for result in results])
        return results, tape.gradient(loss, sources)

    results, gradients = execution(lambda: run(ours))()
    expected_results, expected_gradients = execution(lambda: run(theirs))()
    for name, result, expected in zip(
        ("output", "hidden", "cell"), results, expected_results, strict=True
    ):
        assert_close(result, expected, "float32", name)
    names = ("inputs", "hidden", "cell", "kernel", "recurrent_kernel", "bias")
    for name, gradient, expected in zip(
        names, gradients, expected_gradients, strict=False
    ):
        assert_close(gradient, expected, "float32", f"gradient of {name}")


@pytest.mark.parametrize("mask", [None, *MASKS])
@pytest.mark.parametrize("options", OPTIONS)
def test_equals_keras(options: str, mask: str | None) -> None:
    ours, theirs = pair(**OPTIONS[options])
    assert_equal_calls(ours, theirs, None if mask is None else mask_of(mask))


@pytest.mark.parametrize("mask", [None, "right_padded"])
def test_equals_keras_in_a_graph(mask: str | None) -> None:
    ours, theirs = pair(return_sequences=True)
    mask = None if mask is None else mask_of(mask)
    assert_equal_calls(ours, theirs, mask, EXECUTIONS["graph"])


def test_equals_keras_with_padded_columns() -> None:
    ours, theirs = pair(units=128, return_sequences=True)
    assert_equal_calls(ours, theirs, mask_of("right_padded"))


def test_second_derivatives_equal_keras() -> None:
    sequences, _ = inputs()

    def second(layer: keras.layers.LSTM) -> tf.Tensor:
        with tf.GradientTape() as outer:
            outer.watch(sequences)
            with tf.GradientTape() as inner:
                inner.watch(sequences)
                loss = tf.reduce_sum(layer(sequences)[0] ** 2)
            steepness = tf.reduce_sum(inner.gradient(loss, sequences) ** 2)
        return outer.gradient(steepness, sequences)

    ours, theirs = pair()
    assert_close(second(ours), second(theirs), "float32")


def test_outputs_before_the_first_valid_step_are_zero_and_then_repeat() -> None:
    layer, _ = pair(return_sequences=True)
    sequences, state = inputs()
    mask = np.array([[0, 1, 0, 1]] * 3, bool)
    outputs, *_ = layer(sequences, initial_state=state, mask=mask)
    np.testing.assert_array_equal(outputs[:, 0], tf.zeros([3, UNITS]))
    np.testing.assert_array_equal(outputs[:, 2], outputs[:, 1])
    assert np.all(outputs[:, 3] != outputs[:, 2])


def test_final_state_of_an_empty_row_is_its_initial_state() -> None:
    layer, _ = pair()
    sequences, state = inputs()
    output, hidden, cell = layer(sequences, initial_state=state, mask=mask_of("empty"))
    np.testing.assert_array_equal(output, tf.zeros([3, UNITS]))
    np.testing.assert_array_equal(hidden, state[0])
    np.testing.assert_array_equal(cell, state[1])


def test_dropout_drops_what_keras_drops() -> None:
    ours, theirs = pair(dropout=0.5, seed=7, return_sequences=True)
    sequences, _ = inputs()
    dropped = []
    for _ in range(2):
        dropped.append(theirs(sequences, training=True)[0])
        assert_close(ours(sequences, training=True)[0], dropped[-1], "float32")
    assert np.abs(dropped[0] - dropped[1]).max() > 0.01
    assert_close(ours(sequences)[0], theirs(sequences)[0], "float32", "no training")


def test_stateful_layer_goes_on_where_it_was() -> None:
    ours, theirs = LSTM(UNITS, stateful=True), keras.layers.LSTM(UNITS, stateful=True)
    sequences, _ = inputs()
    ours(sequences), theirs(sequences)
    ours.set_weights(theirs.get_weights())
    for layer in (ours, theirs):
        layer.reset_state()
    for _ in range(2):
        assert_close(ours(sequences), theirs(sequences), "float32")


def test_mask_comes_from_the_embedding() -> None:
    ids = np.array([[1, 2, 3, 0], [4, 0, 0, 0]])
    embedding = keras.layers.Embedding(5, WIDTH, mask_zero=True)
    ours, theirs = pair(return_sequences=True)
    for result, expected in zip(
        ours(embedding(ids)), theirs(embedding(ids)), strict=True
    ):
        assert_close(result, expected, "float32")


@pytest.mark.parametrize("shape", [(0, 0), (2, 0), (0, 4)])
@pytest.mark.parametrize("execution", ["eager", "graph"])
def test_no_sentences_or_no_steps(shape: tuple[int, int], execution: str) -> None:
    layer = LSTM(UNITS, return_sequences=True, return_state=True, dropout=0.5)
    layer.build((None, None, WIDTH))
    call = EXECUTIONS[execution](lambda sequences: layer(sequences, training=True))
    if execution == "graph":
        unknown = tf.TensorSpec([None, None, WIDTH])
        call = tf.function(call, input_signature=[unknown])
    outputs, hidden, cell = call(tf.zeros([*shape, WIDTH]))
    assert outputs.shape == [*shape, UNITS]
    np.testing.assert_array_equal(hidden, tf.zeros([shape[0], UNITS]))
    np.testing.assert_array_equal(cell, tf.zeros([shape[0], UNITS]))


def test_no_steps_without_sequences_is_a_zero_output() -> None:
    output = LSTM(UNITS)(tf.zeros([2, 0, WIDTH]))
    np.testing.assert_array_equal(output, tf.zeros([2, UNITS]))


@pytest.mark.parametrize("policy", ["mixed_bfloat16", "mixed_float16"])
def test_mixed_precision_is_near_float32(policy: str) -> None:
    _, exact = pair(return_sequences=True)
    layer = LSTM(UNITS, return_sequences=True, return_state=True, dtype=policy)
    layer.build((None, None, WIDTH))
    layer.set_weights(exact.get_weights())
    sequences, _ = inputs()
    outputs, *_ = layer(sequences, mask=mask_of("right_padded"))
    expected, *_ = exact(sequences, mask=mask_of("right_padded"))
    assert layer.kernel_in_use == "quick"
    assert outputs.dtype == policy.removeprefix("mixed_")
    assert_close(tf.cast(outputs, tf.float32), expected, layer.compute_dtype)


UNSUPPORTED = [
    {"activation": "relu"},
    {"recurrent_activation": "hard_sigmoid"},
    {"recurrent_dropout": 0.1},
    {"unroll": True},
    {"implementation": 1},
    {"use_cudnn": True},
]


@pytest.mark.parametrize("options", UNSUPPORTED)
def test_other_settings_are_left_to_keras(options: dict[str, Any]) -> None:
    assert LSTM(UNITS, **options).kernel_in_use == "keras"
    with pytest.raises(ValueError, match="kernel='quick'"):
        LSTM(UNITS, kernel="quick", **options)


def test_kernel_in_use_is_told() -> None:
    assert LSTM(UNITS).kernel_in_use == "quick"
    assert LSTM(UNITS, kernel="keras").kernel_in_use == "keras"
    with pytest.raises(ValueError, match="kernel must be one of"):
        LSTM(UNITS, kernel="slow")


def test_a_gpu_is_left_to_keras(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tf.config, "get_visible_devices", lambda kind: [kind])
    assert LSTM(UNITS).kernel_in_use == "cudnn"
    assert LSTM(UNITS, use_cudnn=False).kernel_in_use == "keras"
    assert LSTM(UNITS, kernel="quick").kernel_in_use == "quick"


def test_keras_kernel_runs_keras(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise AssertionError("the quick kernel ran")

    monkeypatch.setattr("nmt.layers.lstm.lstm_sequence", refuse)
    sequences, _ = inputs()
    assert LSTM(UNITS, kernel="keras")(sequences).shape == [3, UNITS]
    with pytest.raises(AssertionError, match="the quick kernel ran"):
        LSTM(UNITS)(sequences)
