import pathlib
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

from nmt.layers.bidirectional_stack import (
    STACKS,
    BidirectionalStack,
    BidirectionalState,
)
from tests.layers.cases import EXECUTIONS, assert_equal_nests, mask_of, turned
from tests.reference import gru, lstm
from tests.tolerance import assert_close

# Inputs as wide as the outputs: the lowest layer adds them to none all the same.
UNITS, WIDTH, LAYERS, BATCH, TIME = 3, 6, 2, 3, 4
every_cell = pytest.mark.parametrize("cell", STACKS)
OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "residual": {"residual": True},
    "both": {"residual": True, "layer_norm": True},
}


def make(cell: str, dtype: str = "float64", **options: Any) -> BidirectionalStack:
    """Returns a stack with random weights."""
    options = {"num_layers": LAYERS, **options}
    stack = BidirectionalStack(cell, UNITS, dtype=dtype, **options)
    stack.build((None, None, WIDTH))
    random = np.random.default_rng(0)
    stack.set_weights([random.normal(0, 0.5, w.shape) for w in stack.weights])
    return stack


def inputs() -> np.ndarray:
    return np.random.default_rng(1).normal(size=(BATCH, TIME, WIDTH))


def read_one_way(layer: Any, x: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
    """Returns the hidden states and the last state of one sentence, `[time, ...]`."""
    (recurrent,) = layer.recurrent_layers
    packed = recurrent.cell.get_weights()
    zeros, words = np.zeros([1, UNITS]), np.ones([1, len(x)], bool)
    if isinstance(recurrent, keras.layers.LSTM):
        weights = lstm.Weights(*packed)
        states = lstm.sequence(x[np.newaxis], zeros, zeros, weights, words)
    else:
        states = (gru.sequence(x[np.newaxis], zeros, turned(packed), words),)
    return states[0][0, 1:], [part[0, -1] for part in states]


def read_both_ways(stack: BidirectionalStack, x: np.ndarray) -> tuple[np.ndarray, Any]:
    """The equations of `BidirectionalStack`, for one sentence without padding."""
    outputs, last = x, []
    for index in range(stack.num_layers):
        below, read = outputs, outputs
        if index and stack.layer_norm:
            norm = stack.norm_layers[index - 1]
            centred = read - read.mean(-1, keepdims=True)
            read = centred / np.sqrt(read.var(-1, keepdims=True) + norm.epsilon)
            read = read * norm.gamma.numpy() + norm.beta.numpy()
        forward, forward_state = read_one_way(stack.forward_layers[index], read)
        backward, backward_state = read_one_way(
            stack.backward_layers[index], read[::-1]
        )
        outputs = np.concatenate([forward, backward[::-1]], -1)
        if index and stack.residual:
            outputs = outputs + below
        last.append((forward_state, backward_state))
    return outputs, last


@every_cell
@pytest.mark.parametrize(
    ("options", "mask"),
    [("plain", "right_padded"), ("residual", None), ("both", "right_padded")],
)
def test_every_sentence_equals_the_reference(
    options: str, mask: str | None, cell: str
) -> None:
    stack, x = make(cell, **OPTIONS[options]), inputs()
    valid = None if mask is None else mask_of(mask)
    lengths = np.full(BATCH, TIME) if valid is None else valid.sum(1)
    outputs, state = stack(x, mask=valid)
    for row, length in enumerate(lengths):
        expected, expected_state = read_both_ways(stack, x[row, :length])
        assert_close(outputs[row, :length], expected, "float64", f"sentence {row}")
        of_row = [part[row] for part in tf.nest.flatten(state)]
        assert_equal_nests(of_row, tf.nest.flatten(expected_state))


@every_cell
def test_state_is_named_by_direction(cell: str) -> None:
    stack, x = make(cell, num_layers=1), inputs()
    outputs, (state,) = stack(x)
    assert isinstance(state, BidirectionalState)
    assert type(state.forward) is STACKS[cell].layer_type.state_type
    np.testing.assert_array_equal(state.forward.hidden, outputs[:, -1, :UNITS])
    np.testing.assert_array_equal(state.backward.hidden, outputs[:, 0, UNITS:])


@every_cell
def test_a_row_of_padding_has_a_state_of_zero(cell: str) -> None:
    x, mask = tf.constant(inputs()), mask_of("right_padded").copy()
    mask[1] = False
    stack = make(cell)
    weights = [weight.value for weight in stack.trainable_variables]
    with tf.GradientTape() as tape:
        outputs, state = stack(x, mask=mask)
        total = tf.reduce_sum(outputs**2)
    for part in tf.nest.flatten(state):
        np.testing.assert_array_equal(part[1], np.zeros(UNITS))
    assert all(np.isfinite(each).all() for each in tape.gradient(total, weights))


@every_cell
def test_padding_and_batch_order_change_nothing(cell: str) -> None:
    stack, x = make(cell, **OPTIONS["both"]), inputs()
    outputs, state = stack(x)
    order = [2, 0, 1]
    padded = np.pad(x, [(0, 0), (0, 3), (0, 0)], constant_values=9)[order]
    mask = np.arange(7)[np.newaxis] < np.full([3, 1], 4)
    moved, moved_state = stack(padded, mask=mask)
    assert_close(moved[:, :4], outputs.numpy()[order], "float64")
    flat = [value.numpy()[order] for value in tf.nest.flatten(state)]
    assert_equal_nests(tf.nest.flatten(moved_state), flat)


def test_xla_equals_eager() -> None:
    stack, x = make("lstm", residual=True), tf.constant(inputs())
    call = EXECUTIONS["xla"](lambda: stack(x, mask=mask_of("right_padded")))
    assert_equal_nests(call(), stack(x, mask=mask_of("right_padded")))


@every_cell
def test_directions_and_layers_are_drawn_apart(cell: str) -> None:
    draw = keras.initializers.RandomUniform(-0.08, 0.08, seed=5)
    forget = {"unit_forget_bias": False} if cell == "lstm" else {}
    stack = BidirectionalStack(
        cell, 8, 2, 0.0, False, False, False, *[draw] * 3, **forget
    )
    stack.build((None, None, 16))
    weights = stack.get_weights()
    assert len(np.unique([weight.flat[0] for weight in weights])) == len(weights)


@every_cell
@pytest.mark.parametrize("variational", [False, True])
def test_dropout_is_the_same_for_both_directions(variational: bool, cell: str) -> None:
    stack = make(
        cell, "float32", num_layers=2, dropout=0.5, variational_dropout=variational
    )
    x = inputs().astype(np.float32)
    reads: dict[str, np.ndarray] = {}

    def spy(name: str, layer: Any) -> Any:
        def call(read: tf.Tensor, **options: Any) -> Any:
            reads[name] = read.numpy()
            return layer(read, **options)

        return call

    for direction in ("forward", "backward"):
        layers = getattr(stack, f"{direction}_layers")
        # Keras' lists of layers take none but layers.
        object.__setattr__(
            stack,
            f"{direction}_layers",
            [spy(f"{direction}{i}", layer) for i, layer in enumerate(layers)],
        )
    stack.call(tf.constant(x), training=True)
    np.testing.assert_array_equal(reads["forward0"], x)
    np.testing.assert_array_equal(reads["backward0"], x[:, ::-1])
    np.testing.assert_array_equal(reads["forward1"], reads["backward1"][:, ::-1])
    dropped = reads["forward1"] == 0
    assert 0.2 < dropped.mean() < 0.8
    same = (dropped == dropped[:, :1]).all()
    assert same == variational


@pytest.mark.parametrize(("variational", "cell"), [(False, "gru"), (True, "lstm")])
def test_dropout_is_on_in_training_alone(variational: bool, cell: str) -> None:
    x = inputs().astype(np.float32)
    options = {"dropout": 0.5, "variational_dropout": variational}
    stack = make(cell, "float32", **options)
    kept = stack(x)
    assert_equal_nests(kept, make(cell, "float32")(x), "float32")
    assert np.abs(stack(x, training=True)[0] - kept[0]).max() > 0.01
    # With one layer only the recurrence can be dropped.
    one = make(cell, "float32", num_layers=1, **options)
    changed = np.abs(one(x, training=True)[0] - one(x)[0]).max() > 1e-3
    assert changed == variational


@pytest.mark.parametrize(
    ("policy", "cell"), [("mixed_bfloat16", "gru"), ("mixed_float16", "lstm")]
)
def test_mixed_precision_is_near_float32(policy: str, cell: str) -> None:
    x, mask = inputs(), mask_of("right_padded")
    stack = make(cell, policy)
    outputs, state = stack(x, mask=mask)
    assert outputs.dtype == stack.compute_dtype
    assert {part.dtype for part in tf.nest.flatten(state)} == {tf.float32}
    expected = make(cell)(x, mask=mask)[0].numpy()
    outputs = tf.cast(outputs, tf.float64).numpy()
    assert_close(outputs[mask], expected[mask], stack.compute_dtype)


@every_cell
def test_mask_comes_from_the_embedding(cell: str) -> None:
    ids = np.array([[1, 2, 0, 0], [4, 0, 0, 0], [1, 3, 2, 4]])
    embedded = keras.layers.Embedding(5, WIDTH, mask_zero=True)(ids)
    stack = make(cell, "float32")
    expected = stack(tf.identity(embedded), mask=ids != 0)
    outputs, state = stack(embedded)
    assert_equal_nests((outputs, state), expected, "float32")
    np.testing.assert_array_equal(outputs._keras_mask, ids != 0)


@pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
@pytest.mark.parametrize("cell", ["gru"])
def test_state_starts_a_stack_in_a_keras_file(
    cell: str, tmp_path: pathlib.Path
) -> None:
    source = keras.Input([None, WIDTH])
    outputs, state = BidirectionalStack(cell, UNITS, 2)(source)
    first = tuple(layer.backward for layer in state)
    outputs, _ = STACKS[cell](UNITS, 2)(outputs, initial_state=first)
    model = keras.Model(source, outputs)
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    x = inputs().astype(np.float32)
    np.testing.assert_array_equal(loaded(x), model(x))


def test_kernels_in_use_are_told() -> None:
    assert make("lstm").kernels_in_use == ("quick",) * 2 * LAYERS
    assert make("gru", kernel="keras").kernels_in_use == ("keras",) * 2 * LAYERS


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match=r"cell must be one of .* got 'rnn'"):
        BidirectionalStack("rnn", UNITS, 1)
    with pytest.raises(ValueError, match="num_layers must be at least 1, got 0"):
        BidirectionalStack("gru", UNITS, 0)
