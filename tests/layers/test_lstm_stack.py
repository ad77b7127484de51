import pathlib
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

from nmt.layers.lstm_cell import LSTMState
from nmt.layers.lstm_stack import LSTMStack
from tests.layers.cases import EXECUTIONS, MASKS, mask_of
from tests.reference import lstm
from tests.tolerance import assert_close

UNITS, WIDTH, LAYERS = 3, 2, 3


def make(dtype: str = "float32", **options: Any) -> LSTMStack:
    stack = LSTMStack(UNITS, LAYERS, dtype=dtype, **options)
    stack.build((None, None, WIDTH))
    random = np.random.default_rng(0)
    stack.set_weights([random.normal(0, 0.5, w.shape) for w in stack.weights])
    return stack


def inputs(seed: int = 1) -> tuple[np.ndarray, tuple[LSTMState, ...]]:
    """Returns sequences `[3, 4, WIDTH]` and an initial state, in float32."""
    random = np.random.default_rng(seed)
    sequences = random.normal(size=(3, 4, WIDTH)).astype(np.float32)
    state = random.normal(size=(LAYERS, 2, 3, UNITS)).astype(np.float32)
    return sequences, tuple(LSTMState(hidden, cell) for hidden, cell in state)


def assert_equal_states(state: Any, expected: Any, dtype: str = "float32") -> None:
    assert len(state) == len(expected)
    for layer, expected_layer in zip(state, expected, strict=True):
        assert_close(layer.hidden, expected_layer.hidden, dtype, "hidden")
        assert_close(layer.cell, expected_layer.cell, dtype, "cell")


@pytest.mark.parametrize("execution", ["eager", "graph"])
@pytest.mark.parametrize("mask", MASKS)
def test_outputs_and_states_equal_the_reference(mask: str, execution: str) -> None:
    stack = make()
    x, start = inputs()
    valid = mask_of(mask)
    call = EXECUTIONS[execution](stack.__call__)
    outputs, state = call(x, initial_state=start, mask=tf.constant(valid))

    below, expected = x.astype(float), []
    weights = [weight.astype(float) for weight in stack.get_weights()]
    for layer, (h, c) in enumerate(start):
        packed = lstm.Weights(*weights[3 * layer : 3 * layer + 3])
        hs, cs = lstm.sequence(below, h, c, packed, valid)
        below = hs[:, 1:]
        expected.append(LSTMState(hs[:, -1], cs[:, -1]))
    assert_close(outputs[valid], below[valid], "float32", "outputs")
    assert_equal_states(state, expected)


@pytest.mark.parametrize("dtype", ["float32", "mixed_bfloat16"])
def test_step_equals_a_call_of_one_step(dtype: str) -> None:
    stack = make(dtype)
    x, start = inputs()
    start = tuple(
        LSTMState(*(tf.cast(tf.cast(v, stack.compute_dtype), tf.float32) for v in s))
        for s in start
    )
    outputs, state = stack(x[:, :1], initial_state=start)
    output, stepped = stack.step(tf.constant(x[:, 0]), start)
    assert output.dtype == outputs.dtype == stack.compute_dtype
    assert_close(tf.cast(output, tf.float32), outputs[:, 0], stack.compute_dtype)
    assert_equal_states(stepped, state, stack.compute_dtype)


def test_steps_equal_one_call() -> None:
    stack = make()
    x, state = inputs()
    outputs, expected = stack(x, initial_state=state)
    for t in range(4):
        output, state = stack.step(tf.constant(x[:, t]), state)
        assert_close(output, outputs[:, t], "float32", f"step {t}")
    assert_equal_states(state, expected)


def test_padding_changes_nothing() -> None:
    stack = make()
    x, _ = inputs()
    _, alone = stack(x)
    padded = np.pad(x, [(0, 0), (0, 3), (0, 0)], constant_values=9)
    mask = np.arange(7)[np.newaxis] < np.full([3, 1], 4)
    _, state = stack(padded, mask=mask)
    assert_equal_states(state, alone)


def test_batch_order_changes_nothing() -> None:
    stack = make()
    x, _ = inputs()
    mask, order = mask_of("right_padded"), [2, 0, 1]
    outputs, _ = stack(x, mask=mask)
    permuted, _ = stack(x[order], mask=mask[order])
    assert_close(permuted, tf.gather(outputs, order), "float32")


def test_mask_comes_from_the_embedding() -> None:
    ids = np.array([[1, 2, 0, 0], [4, 0, 0, 0], [1, 3, 2, 4]])
    embedded = keras.layers.Embedding(5, WIDTH, mask_zero=True)(ids)
    stack = make()
    _, state = stack(embedded)
    # A copy carries no mask.
    _, expected = stack(tf.identity(embedded), mask=ids != 0)
    assert_equal_states(state, expected)
    _, unmasked = stack(tf.identity(embedded))
    assert np.abs(state[0].hidden - unmasked[0].hidden).max() > 0.001


@pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
def test_state_passes_from_stack_to_stack_in_a_keras_file(
    tmp_path: pathlib.Path,
) -> None:
    source, target = keras.Input([None, WIDTH]), keras.Input([None, WIDTH])
    _, state = LSTMStack(UNITS, 2)(source)
    outputs, _ = LSTMStack(UNITS, 2)(target, initial_state=state)
    model = keras.Model([source, target], outputs)
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    sentences, _ = inputs(1)
    others, _ = inputs(2)
    np.testing.assert_array_equal(
        loaded([sentences, others]), model([sentences, others])
    )
    assert np.abs(model([sentences, others]) - model([others, others])).max() > 0.001


def test_dropout_is_between_layers_and_only_in_training() -> None:
    x, _ = inputs()
    plain, dropping = make(), make(dropout=0.5, seed=3)
    assert_close(dropping(x)[0], plain(x)[0], "float32", "no training")
    outputs, state = dropping(x, training=True)
    expected, expected_state = plain(x, training=True)
    # Nothing is dropped below the first layer.
    assert_close(state[0].hidden, expected_state[0].hidden, "float32")
    assert np.abs(outputs - expected).max() > 0.01
    again, _ = make(dropout=0.5, seed=3)(x, training=True)
    assert_close(again, outputs, "float32", "same seed")


def test_one_layer_never_drops() -> None:
    x, _ = inputs()
    stack = LSTMStack(UNITS, 1, dropout=0.9)
    assert_close(stack(x, training=True)[0], stack(x)[0], "float32")


@pytest.mark.parametrize("seed", [None, 5])
def test_paper_initialisation_draws_all_weights_apart(seed: int | None) -> None:
    draw = keras.initializers.RandomUniform(-0.08, 0.08, seed=seed)
    stack = LSTMStack(
        8,
        3,
        kernel_initializer=draw,
        recurrent_initializer=draw,
        bias_initializer=draw,
        unit_forget_bias=False,
    )
    stack.build((None, None, 8))
    weights = stack.get_weights()
    assert max(np.abs(weight).max() for weight in weights) <= 0.08
    assert min(np.abs(weight).max() for weight in weights) > 0.06
    matrices = [weight for weight in weights if weight.ndim == 2]
    biases = [weight for weight in weights if weight.ndim == 1]
    for group in (matrices, biases):
        assert len(np.unique([weight.flat[0] for weight in group])) == len(group)


def test_seeded_initialisation_can_be_repeated() -> None:
    draw = keras.initializers.RandomUniform(-0.08, 0.08, seed=5)
    one, other = (LSTMStack(UNITS, 2, kernel_initializer=draw) for _ in range(2))
    for stack in (one, other):
        stack.build((None, None, WIDTH))
    for layer, twin in zip(one.recurrent_layers, other.recurrent_layers, strict=True):
        np.testing.assert_array_equal(layer.cell.kernel, twin.cell.kernel)


def test_forget_gates_start_open_unless_told() -> None:
    stack = LSTMStack(UNITS, LAYERS)
    stack.build((None, None, WIDTH))
    for layer in stack.recurrent_layers:
        np.testing.assert_array_equal(
            layer.cell.bias[UNITS : 2 * UNITS], np.ones(UNITS)
        )


def test_layers_names_and_sizes() -> None:
    stack = make(kernel="keras")
    assert [layer.name for layer in stack.recurrent_layers] == ["lstm_0", "lstm_1", "lstm_2"]
    above = 4 * UNITS * (UNITS + UNITS + 1)
    assert stack.count_params() == 4 * UNITS * (WIDTH + UNITS + 1) + 2 * above
    assert stack.kernels_in_use == ("keras",) * LAYERS
    assert make().kernels_in_use == ("quick",) * LAYERS


@pytest.mark.parametrize(
    ("policy", "output_type", "state_type"),
    [
        ("mixed_bfloat16", tf.bfloat16, tf.float32),
        ("mixed_float16", tf.float16, tf.float32),
        ("float64", tf.float64, tf.float64),
    ],
)
def test_states_have_the_type_of_the_weights(
    policy: str, output_type: tf.DType, state_type: tf.DType
) -> None:
    outputs, state = make(policy)(inputs()[0])
    assert outputs.dtype == output_type
    assert {value.dtype for value in tf.nest.flatten(state)} == {state_type}


def test_a_stack_has_a_layer() -> None:
    with pytest.raises(ValueError, match="num_layers must be at least 1, got 0"):
        LSTMStack(UNITS, 0)
