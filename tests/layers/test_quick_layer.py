"""Our recurrent layers are drop-ins for those of Keras."""

from collections.abc import Callable
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

from nmt.layers.gru import GRU
from nmt.layers.lstm import LSTM
from nmt.layers.quick_layer import check_kernel
from tests.layers.cases import (
    EXECUTIONS,
    assert_equal_nests,
    mask_of,
    weighted_total,
)
from tests.tolerance import assert_close

UNITS, WIDTH = 3, 2
# Ours, Keras', what both are given, and the parts of the state.
LAYERS: dict[str, tuple[Any, Any, dict[str, Any], int]] = {
    "lstm": (LSTM, keras.layers.LSTM, {}, 2),
    "gru": (GRU, keras.layers.GRU, {"reset_after": False}, 1),
}
OPTIONS = {
    "last_output": {},
    "sequences": {"return_sequences": True},
    "backwards": {"return_sequences": True, "go_backwards": True},
    "last_output_backwards": {"go_backwards": True},
    "zero_output": {"return_sequences": True, "zero_output_for_mask": True},
    "no_bias": {"use_bias": False},
}
every_layer = pytest.mark.parametrize("name", LAYERS)


def inputs(name: str, units: int = UNITS) -> tuple[tf.Tensor, list[tf.Tensor]]:
    """Returns sequences `[3, 4, WIDTH]` and an initial state."""
    random = np.random.default_rng(1)
    sequences = tf.constant(random.normal(size=(3, 4, WIDTH)), tf.float32)
    state = random.normal(size=(LAYERS[name][3], 3, units))
    return sequences, [tf.constant(array, tf.float32) for array in state]


def pair(name: str, units: int = UNITS, **options: Any) -> tuple[Any, Any]:
    """Returns our layer and Keras', with equal weights."""
    ours_type, theirs_type, given, _ = LAYERS[name]
    options = {"return_state": True, **given, **options}
    ours, theirs = (
        ours_type(units, kernel="quick", **options),
        theirs_type(units, **options),
    )
    batch = 3 if options.get("stateful") else None
    for layer in (ours, theirs):
        layer.build((batch, None, WIDTH))
    random = np.random.default_rng(2)
    theirs.set_weights([random.normal(0, 0.5, w.shape) for w in theirs.weights])
    ours.set_weights(theirs.get_weights())
    return ours, theirs


def assert_equal_calls(
    name: str,
    ours: Any,
    theirs: Any,
    mask: np.ndarray | None,
    execution: Callable[[Any], Any] = EXECUTIONS["eager"],
) -> None:
    """Compares outputs and states, and the gradients that flow through both."""
    sequences, state = inputs(name, ours.units)

    def run(layer: Any) -> Any:
        variables = [variable.value for variable in layer.trainable_variables]
        sources = [sequences, *state, *variables]
        with tf.GradientTape() as tape:
            tape.watch(sources)
            results = layer(sequences, initial_state=state, mask=mask)
            total = weighted_total(results)
        return list(results), tape.gradient(total, sources)

    (results, gradients), (expected, expected_gradients) = (
        execution(lambda layer=layer: run(layer))() for layer in (ours, theirs)
    )
    assert_equal_nests(results, expected, "float32", "output")
    assert_equal_nests(gradients, expected_gradients, "float32", "gradient")


@every_layer
@pytest.mark.parametrize(
    ("options", "mask"),
    [
        *((options, "empty_row") for options in OPTIONS),
        *(("sequences", mask) for mask in (None, "left_padded", "holes", "empty")),
        ("backwards", "right_padded"),
    ],
)
def test_equals_keras(options: str, mask: str | None, name: str) -> None:
    ours, theirs = pair(name, **OPTIONS[options])
    assert_equal_calls(name, ours, theirs, None if mask is None else mask_of(mask))


@pytest.mark.parametrize("name", ["lstm"])
def test_equals_keras_in_a_graph(name: str) -> None:
    ours, theirs = pair(name, return_sequences=True)
    mask = mask_of("right_padded")
    assert_equal_calls(name, ours, theirs, mask, EXECUTIONS["graph"])


@pytest.mark.parametrize(("name", "units"), [("lstm", 128), ("gru", 256)])
def test_equals_keras_with_padded_columns(name: str, units: int) -> None:
    ours, theirs = pair(name, units=units, return_sequences=True)
    assert_equal_calls(name, ours, theirs, mask_of("right_padded"))


@every_layer
def test_second_derivatives_equal_keras(name: str) -> None:
    sequences, _ = inputs(name)

    def second(layer: Any) -> tf.Tensor:
        with tf.GradientTape() as outer:
            outer.watch(sequences)
            with tf.GradientTape() as inner:
                inner.watch(sequences)
                loss = tf.reduce_sum(layer(sequences)[0] ** 2)
            steepness = tf.reduce_sum(inner.gradient(loss, sequences) ** 2)
        return outer.gradient(steepness, sequences)

    ours, theirs = pair(name)
    assert_close(second(ours), second(theirs), "float32")


@pytest.mark.parametrize("name", ["gru"])
def test_xla_equals_eager(name: str) -> None:
    layer, _ = pair(name, return_sequences=True)
    sequences, state = inputs(name)

    def run() -> Any:
        mask = mask_of("holes")
        return list(layer(sequences, initial_state=state, mask=mask))

    assert_equal_nests(EXECUTIONS["xla"](run)(), run(), "float32")


@every_layer
def test_outputs_before_the_first_valid_step_are_zero_and_then_repeat(
    name: str,
) -> None:
    layer, _ = pair(name, return_sequences=True)
    sequences, state = inputs(name)
    mask = np.array([[0, 1, 0, 1]] * 3, bool)
    outputs, *_ = layer(sequences, initial_state=state, mask=mask)
    np.testing.assert_array_equal(outputs[:, 0], tf.zeros([3, UNITS]))
    np.testing.assert_array_equal(outputs[:, 2], outputs[:, 1])
    assert np.all(outputs[:, 3] != outputs[:, 2])


@every_layer
def test_final_state_of_an_empty_row_is_its_initial_state(name: str) -> None:
    layer, _ = pair(name)
    sequences, state = inputs(name)
    output, *last = layer(sequences, initial_state=state, mask=mask_of("empty"))
    np.testing.assert_array_equal(output, tf.zeros([3, UNITS]))
    np.testing.assert_array_equal(last, state)


@every_layer
def test_dropout_drops_what_keras_drops(name: str) -> None:
    ours, theirs = pair(name, dropout=0.5, seed=7, return_sequences=True)
    sequences, _ = inputs(name)
    dropped = []
    for _ in range(2):
        dropped.append(theirs(sequences, training=True)[0])
        assert_close(ours(sequences, training=True)[0], dropped[-1], "float32")
    assert np.abs(dropped[0] - dropped[1]).max() > 0.01
    assert_close(ours(sequences)[0], theirs(sequences)[0], "float32", "no training")


@every_layer
def test_stateful_layer_goes_on_where_it_was(name: str) -> None:
    ours, theirs = pair(name, stateful=True, return_state=False)
    sequences, _ = inputs(name)
    once = ours(sequences)
    theirs(sequences)
    for layer in (ours, theirs):
        layer.reset_state()
    for _ in range(2):
        outputs = ours(sequences)
        assert_close(outputs, theirs(sequences), "float32")
    assert np.abs(outputs - once).max() > 0.01


@every_layer
def test_mask_comes_from_the_embedding(name: str) -> None:
    ids = np.array([[1, 2, 3, 0], [4, 0, 0, 0]])
    embedding = keras.layers.Embedding(5, WIDTH, mask_zero=True)
    ours, theirs = pair(name, return_sequences=True)
    expected = list(theirs(embedding(ids)))
    assert_equal_nests(list(ours(embedding(ids))), expected, "float32")


@every_layer
@pytest.mark.parametrize(
    ("shape", "execution"),
    [((0, 0), "eager"), ((2, 0), "eager"), ((2, 0), "graph"), ((0, 4), "graph")],
)
def test_no_sentences_or_no_steps(
    shape: tuple[int, int], execution: str, name: str
) -> None:
    layer, _ = pair(name, return_sequences=True, dropout=0.5)
    call = EXECUTIONS[execution](lambda sequences: layer(sequences, training=True))
    if execution == "graph":
        unknown = tf.TensorSpec([None, None, WIDTH])
        call = tf.function(call, input_signature=[unknown])
    outputs, *state = call(tf.zeros([*shape, WIDTH]))
    assert outputs.shape == [*shape, UNITS]
    for part in state:
        np.testing.assert_array_equal(part, tf.zeros([shape[0], UNITS]))


@every_layer
def test_no_steps_without_sequences_is_a_zero_output(name: str) -> None:
    layer, _ = pair(name, return_state=False)
    np.testing.assert_array_equal(layer(tf.zeros([2, 0, WIDTH])), np.zeros([2, UNITS]))


@every_layer
@pytest.mark.parametrize("policy", ["mixed_bfloat16", "mixed_float16"])
def test_mixed_precision_is_near_float32(policy: str, name: str) -> None:
    _, exact = pair(name, return_sequences=True)
    layer, _ = pair(name, return_sequences=True, dtype=policy)
    layer.set_weights(exact.get_weights())
    sequences, _ = inputs(name)
    outputs, *_ = layer(sequences, mask=mask_of("right_padded"))
    expected, *_ = exact(sequences, mask=mask_of("right_padded"))
    assert outputs.dtype == policy.removeprefix("mixed_")
    assert_close(tf.cast(outputs, tf.float32), expected, layer.compute_dtype)


@every_layer
@pytest.mark.parametrize("use_bias", [True, False])
def test_sequence_and_step_are_the_layer_without_its_frame(
    use_bias: bool, name: str
) -> None:
    layer, _ = pair(name, return_sequences=True, use_bias=use_bias)
    sequences, start = inputs(name)
    outputs, *last = layer(sequences, initial_state=start)
    state = layer.state_type(*start)
    hidden, after = layer.sequence(sequences, state)
    assert_equal_nests([hidden, *after], [outputs, *last], "float32")
    for t in range(4):
        state = layer.step(sequences[:, t], state)
        assert_close(state.hidden, outputs[:, t], "float32", f"step {t}")
    assert type(state) is type(after) is layer.state_type
    assert_equal_nests(state, after, "float32")


@every_layer
def test_config_keeps_the_kernel(name: str) -> None:
    layer, _ = pair(name)
    assert type(layer).from_config(layer.get_config()).kernel == "quick"


@every_layer
def test_keras_kernel_runs_keras(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise AssertionError("the quick kernel ran")

    layer_type = LAYERS[name][0]
    monkeypatch.setattr(layer_type, "sequence", refuse)
    sequences, _ = inputs(name)
    assert layer_type(UNITS, kernel="keras")(sequences).shape == [3, UNITS]
    with pytest.raises(AssertionError, match="the quick kernel ran"):
        layer_type(UNITS)(sequences)


def test_kernel_is_checked() -> None:
    for kernel in ("auto", "quick", "keras"):
        check_kernel(kernel, allows_quick=True, needs="nothing")
    with pytest.raises(ValueError, match=r"kernel must be one of .* got 'slow'"):
        check_kernel("slow", allows_quick=True, needs="nothing")
    check_kernel("keras", allows_quick=False, needs="tanh")
    with pytest.raises(ValueError, match="kernel='quick' needs tanh"):
        check_kernel("quick", allows_quick=False, needs="tanh")
