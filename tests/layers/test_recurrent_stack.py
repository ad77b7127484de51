"""What holds for every stack."""

import pathlib
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

from nmt.layers.gru_stack import GRUStack
from nmt.layers.lstm_stack import LSTMStack
from nmt.layers.stack_masks import StackMasks
from nmt.layers.stack_parts import cast_state
from tests.layers.cases import EXECUTIONS, assert_equal_nests, mask_of, turned
from tests.reference import gru, lstm
from tests.tolerance import assert_close

# Inputs as wide as the layers: the lowest has no residual connection all the same.
UNITS, WIDTH, LAYERS, BATCH, TIME = 3, 3, 3, 3, 4
STACKS = {"lstm": LSTMStack, "gru": GRUStack}
every_stack = pytest.mark.parametrize("cell", STACKS)
OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "residual": {"residual": True},
    "layer_norm": {"layer_norm": True},
    "both": {"residual": True, "layer_norm": True},
}


def make(cell: str, dtype: str = "float64", **options: Any) -> Any:
    """Returns a stack with random weights."""
    stack = STACKS[cell](UNITS, LAYERS, dtype=dtype, **options)
    stack.build((None, None, WIDTH))
    random = np.random.default_rng(0)
    stack.set_weights([random.normal(0, 0.5, w.shape) for w in stack.weights])
    return stack


def inputs(cell: str, seed: int = 1) -> tuple[np.ndarray, tuple[Any, ...]]:
    """Returns sequences `[3, 4, WIDTH]` and an initial state, in float64."""
    random = np.random.default_rng(seed)
    kind = STACKS[cell].layer_type.state_type
    shape = (LAYERS, len(kind._fields), BATCH, UNITS)
    start = tuple(kind(*parts) for parts in random.normal(size=shape))
    return random.normal(size=(BATCH, TIME, WIDTH)), start


def random_masks(*, variational: bool) -> StackMasks:
    random = np.random.default_rng(3)

    def draw(*shape: int) -> tf.Tensor:
        return tf.constant(random.choice([0.0, 2.0], (*shape, UNITS)))

    steps = 1 if variational else TIME
    between = tuple(draw(BATCH, steps) for _ in range(1, LAYERS))
    recurrent = tuple(draw(BATCH) for _ in range(LAYERS)) if variational else ()
    return StackMasks(between, recurrent)


def normalised(values: np.ndarray, layer: Any) -> np.ndarray:
    """Ba et al. (2016), eqs. 3-4."""
    mean, variance = values.mean(-1, keepdims=True), values.var(-1, keepdims=True)
    scaled = (values - mean) / np.sqrt(variance + layer.epsilon)
    return scaled * layer.gamma.numpy() + layer.beta.numpy()


def layer_step(layer: Any, x: np.ndarray, state: Any, drop: np.ndarray | float) -> Any:
    """One step of one layer; `drop` multiplies what the matrices read of h."""
    packed = layer.cell.get_weights()
    if isinstance(layer, keras.layers.LSTM):
        hidden, memory = state
        return lstm.cell(x, hidden * drop, memory, lstm.Weights(*packed))
    return (gru.cell(x, state[0], turned(packed), state[0] * drop),)


def reference(
    stack: Any,
    x: np.ndarray,
    start: Any,
    mask: np.ndarray | None = None,
    masks: StackMasks | None = None,
) -> tuple[np.ndarray, Any]:
    """The equations of `RecurrentStack`, layer by layer and step by step."""
    states, outputs = [tuple(state) for state in start], []
    for t in range(x.shape[1]):
        valid = np.ones(BATCH, bool) if mask is None else mask[:, t]
        below = x[:, t]
        for index, layer in enumerate(stack.recurrent_layers):
            read, drop = below, 1.0
            if index and stack.layer_norm:
                read = normalised(read, stack.norm_layers[index - 1])
            if index and masks is not None:
                between = masks.between[index - 1].numpy()
                read = read * between[:, min(t, between.shape[1] - 1)]
            if masks is not None and masks.recurrent:
                drop = masks.recurrent[index].numpy()
            after = layer_step(layer, read, states[index], drop)
            states[index] = tuple(
                np.where(valid[:, None], new, old)
                for new, old in zip(after, states[index], strict=True)
            )
            above = states[index][0]
            below = above + below if index and stack.residual else above
        outputs.append(below)
    return np.stack(outputs, 1), states


@every_stack
@pytest.mark.parametrize("mask", [None, "right_padded", "holes", "empty_row"])
def test_outputs_and_states_equal_the_reference(mask: str | None, cell: str) -> None:
    stack = make(cell)
    x, start = inputs(cell)
    valid = None if mask is None else mask_of(mask)
    outputs, state = stack(x, initial_state=start, mask=valid)
    expected, expected_state = reference(stack, x, start, valid)
    chosen = np.ones([BATCH, TIME], bool) if valid is None else valid
    assert_close(outputs[chosen], expected[chosen], "float64", "outputs")
    assert_equal_nests(state, expected_state)


@every_stack
@pytest.mark.parametrize(
    ("options", "variational"),
    [
        ("residual", None),
        ("layer_norm", None),
        ("plain", False),
        ("plain", True),
        ("both", True),
    ],
)
def test_options_equal_the_reference(
    options: str,
    variational: bool | None,
    cell: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stack = make(cell, dropout=0.5, **OPTIONS[options])
    x, start = inputs(cell)
    masks = None if variational is None else random_masks(variational=variational)
    monkeypatch.setattr(stack, "draw_masks", lambda *_: masks)
    expected, expected_state = reference(stack, x, start, masks=masks)
    outputs, state = stack(x, initial_state=start, training=True)
    assert_close(outputs, expected, "float64", "outputs")
    assert_equal_nests(state, expected_state)
    # The same, step by step.
    state = start
    for t in range(TIME):
        step_masks = None if masks is None else masks.at(tf.constant(t))
        output, state = stack.step(tf.constant(x[:, t]), state, step_masks)
        assert_close(output, expected[:, t], "float64", f"step {t}")
    assert_equal_nests(state, expected_state)


@pytest.mark.parametrize("cell", ["gru"])
def test_xla_equals_eager(cell: str) -> None:
    stack = make(cell, **OPTIONS["both"])
    x, start = inputs(cell)
    x, mask = tf.constant(x), mask_of("right_padded")
    call = EXECUTIONS["xla"](
        lambda: stack(x, initial_state=start, mask=mask, training=True)
    )
    expected = stack(x, initial_state=start, mask=mask)
    assert_equal_nests(call(), expected)


@every_stack
@pytest.mark.parametrize("variational", [False, True])
def test_masks_are_drawn_in_training_alone(variational: bool, cell: str) -> None:
    stack = make(cell, "float32", dropout=0.5, variational_dropout=variational, seed=1)
    batch, time = tf.constant(200), tf.constant(TIME)
    assert stack.draw_masks(batch, time, training=False) is None
    assert make(cell).draw_masks(batch, time, training=True) is None
    masks = stack.draw_masks(batch, time, training=True)
    steps = 1 if variational else TIME
    assert [mask.shape for mask in masks.between] == [[200, steps, UNITS]] * (
        LAYERS - 1
    )
    recurrent = [[200, UNITS]] * (LAYERS if variational else 0)
    assert [mask.shape for mask in masks.recurrent] == recurrent
    drawn = [*masks.between, *masks.recurrent]
    for mask in drawn:
        assert set(np.unique(mask)) == {0.0, 2.0}
        assert abs(np.mean(mask) - 1) < 0.2
    firsts = [tf.reshape(mask, [-1])[:600].numpy().tobytes() for mask in drawn]
    assert len(set(firsts)) == len(drawn)
    again = stack.draw_masks(batch, time, training=True)
    assert np.any(again.between[0] != masks.between[0])


@pytest.mark.parametrize(("variational", "cell"), [(False, "lstm"), (True, "gru")])
def test_dropout_is_on_in_training_alone(variational: bool, cell: str) -> None:
    x, _ = inputs(cell)
    options = {"dropout": 0.5, "variational_dropout": variational, "seed": 3}
    plain, dropping, twin = make(cell), make(cell, **options), make(cell, **options)
    assert_close(dropping(x)[0], plain(x)[0], "float64", "no training")
    outputs, state = dropping(x, training=True)
    expected, expected_state = plain(x, training=True)
    assert np.abs(outputs - expected).max() > 0.01
    assert_close(twin(x, training=True)[0], outputs, "float64", "same seed")
    # Nothing is dropped below the first layer.
    lowest = np.abs(state[0].hidden - expected_state[0].hidden).max()
    assert lowest > 0.01 if variational else lowest < 1e-10


@every_stack
def test_one_layer_drops_nothing_but_in_its_recurrence(cell: str) -> None:
    x, _ = inputs(cell)
    stack = STACKS[cell](UNITS, 1, dropout=0.9)
    assert_close(stack(x, training=True)[0], stack(x)[0], "float32")
    stack = STACKS[cell](UNITS, 1, dropout=0.5, variational_dropout=True, seed=1)
    dropped, kept = stack(x, training=True)[0], stack(x)[0]
    # The first step has no h to drop.
    assert_close(dropped[:, 0], kept[:, 0], "float32")
    assert np.abs(dropped - kept).max() > 1e-3


@every_stack
@pytest.mark.parametrize(
    ("dtype", "variational"),
    [("float32", False), ("mixed_bfloat16", True), ("mixed_float16", True)],
)
def test_step_equals_a_call_of_one_step(
    dtype: str, variational: bool, cell: str
) -> None:
    options = {"dropout": 0.5, "variational_dropout": variational, "seed": 1}
    stack = make(cell, dtype, **options, **OPTIONS["both"])
    x, start = inputs(cell)
    # What Keras does to a state that a layer is called with.
    start = tuple(
        cast_state(cast_state(state, stack.compute_dtype), "float32") for state in start
    )
    for training in (False, True):
        stack.seed_generator.state.assign([1, 0])
        outputs, state = stack(x[:, :1], initial_state=start, training=training)
        stack.seed_generator.state.assign([1, 0])
        masks = stack.draw_masks(tf.constant(BATCH), tf.constant(1), training)
        masks = None if masks is None else masks.at(tf.constant(0))
        output, stepped = stack.step(tf.constant(x[:, 0]), start, masks)
        assert output.dtype == outputs.dtype == stack.compute_dtype
        assert_equal_nests(output, outputs[:, 0], stack.compute_dtype)
        assert_equal_nests(stepped, state, stack.compute_dtype)
        kinds = {value.dtype for value in tf.nest.flatten([state, stepped])}
        assert kinds == {tf.float32}


@every_stack
def test_padding_and_batch_order_change_nothing(cell: str) -> None:
    stack = make(cell, variational_dropout=True)
    x, _ = inputs(cell)
    outputs, state = stack(x)
    order = [2, 0, 1]
    padded = np.pad(x, [(0, 0), (0, 3), (0, 0)], constant_values=9)[order]
    mask = np.arange(7)[np.newaxis] < np.full([3, 1], 4)
    moved, moved_state = stack(padded, mask=mask)
    assert_close(moved[:, :4], outputs.numpy()[order], "float64")
    flat = [value.numpy()[order] for value in tf.nest.flatten(state)]
    assert_equal_nests(tf.nest.flatten(moved_state), flat)


@pytest.mark.parametrize(("variational", "cell"), [(False, "lstm"), (True, "gru")])
def test_masks_of_numbers_do(variational: bool, cell: str) -> None:
    options = {"dropout": 0.5, "variational_dropout": variational, "seed": 1}
    x, _ = inputs(cell)
    mask = mask_of("right_padded")
    expected = make(cell, **options)(x, mask=mask, training=True)
    found = make(cell, **options)(x, mask=mask.astype(np.int32), training=True)
    assert_equal_nests(found, expected)


@every_stack
def test_mask_comes_from_the_embedding(cell: str) -> None:
    ids = np.array([[1, 2, 0, 0], [4, 0, 0, 0], [1, 3, 2, 4]])
    embedded = keras.layers.Embedding(5, WIDTH, mask_zero=True)(ids)
    stack = make(cell, "float32")
    _, state = stack(embedded)
    # A copy carries no mask.
    _, expected = stack(tf.identity(embedded), mask=ids != 0)
    assert_equal_nests(state, expected, "float32")
    _, unmasked = stack(tf.identity(embedded))
    assert np.abs(state[0].hidden - unmasked[0].hidden).max() > 0.001


@pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
@pytest.mark.parametrize(("variational", "cell"), [(True, "lstm")])
def test_state_passes_from_stack_to_stack_in_a_keras_file(
    variational: bool, cell: str, tmp_path: pathlib.Path
) -> None:
    source, target = keras.Input([None, WIDTH]), keras.Input([None, WIDTH])
    stacks = [
        STACKS[cell](UNITS, 2, 0.5, variational_dropout=variational, seed=1)
        for _ in range(2)
    ]
    _, state = stacks[0](source)
    outputs, _ = stacks[1](target, initial_state=state)
    model = keras.Model([source, target], outputs)
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    sentences, others = inputs(cell, 1)[0], inputs(cell, 2)[0]
    expected = model([sentences, others])
    assert_equal_nests(loaded([sentences, others]), expected, "float32")
    assert np.abs(expected - model([others, others])).max() > 0.001
    dropped = loaded([sentences, others], training=True)
    assert np.abs(dropped - expected).max() > 0.001


@every_stack
@pytest.mark.parametrize(
    ("policy", "output_type", "state_type"),
    [
        ("mixed_bfloat16", tf.bfloat16, tf.float32),
        ("mixed_float16", tf.float16, tf.float32),
        ("float64", tf.float64, tf.float64),
    ],
)
def test_states_have_the_type_of_the_weights(
    policy: str, output_type: tf.DType, state_type: tf.DType, cell: str
) -> None:
    stack = make(cell, policy)
    outputs, state = stack(inputs(cell)[0])
    assert outputs.dtype == output_type
    assert {value.dtype for value in tf.nest.flatten(state)} == {state_type}
    zeros = stack.get_initial_state(BATCH)
    tf.nest.assert_same_structure(zeros, state)
    assert {value.dtype for value in tf.nest.flatten(zeros)} == {state_type}


@every_stack
def test_layers_and_kernels_are_told(cell: str) -> None:
    stack = make(cell, layer_norm=True)
    names = [f"{cell}_{index}" for index in range(LAYERS)]
    assert [layer.name for layer in stack.recurrent_layers] == names
    assert [layer.name for layer in stack.norm_layers] == [
        "layer_norm_1",
        "layer_norm_2",
    ]
    assert stack.kernels_in_use == ("quick",) * LAYERS
    assert make(cell, kernel="keras").kernels_in_use == ("keras",) * LAYERS


@every_stack
def test_a_stack_has_a_layer(cell: str) -> None:
    with pytest.raises(ValueError, match="num_layers must be at least 1, got 0"):
        STACKS[cell](UNITS, 0)


@every_stack
@pytest.mark.parametrize("seed", [None, 5])
def test_one_initializer_draws_all_weights_apart(seed: int | None, cell: str) -> None:
    draw = keras.initializers.RandomUniform(-0.08, 0.08, seed=seed)
    forget = {"unit_forget_bias": False} if cell == "lstm" else {}
    stack = STACKS[cell](
        8,
        3,
        kernel_initializer=draw,
        recurrent_initializer=draw,
        bias_initializer=draw,
        **forget,
    )
    stack.build((None, None, 8))
    weights = stack.get_weights()
    assert max(np.abs(weight).max() for weight in weights) <= 0.08
    assert min(np.abs(weight).max() for weight in weights) > 0.06
    assert len(np.unique([weight.flat[0] for weight in weights])) == len(weights)


@every_stack
def test_seeded_initialisation_can_be_repeated(cell: str) -> None:
    draw = keras.initializers.RandomUniform(-0.08, 0.08, seed=5)
    one, other = (STACKS[cell](UNITS, 2, kernel_initializer=draw) for _ in range(2))
    for stack in (one, other):
        stack.build((None, None, WIDTH))
    for layer, twin in zip(one.recurrent_layers, other.recurrent_layers, strict=True):
        np.testing.assert_array_equal(layer.cell.kernel, twin.cell.kernel)
