from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

from nmt.layers.attention_cell import AttentionCell, in_form_of
from nmt.layers.gru_kernel import GRUKernel
from nmt.layers.lstm_cell import LSTMState
from nmt.layers.lstm_kernel import LSTMKernel
from nmt.layers.lstm_stack import LSTMStack
from tests.layers import wrapped

UNITS = wrapped.UNITS
every_cell = pytest.mark.parametrize("name", wrapped.CELLS)


def make(name: str, **options: Any) -> AttentionCell:
    inner = AttentionCell(wrapped.CELLS[name](**options))
    inner.build(5)
    return inner


def zeros(inner: AttentionCell, batch: int) -> Any:
    return inner.cell.get_initial_state(batch_size=batch)


@every_cell
def test_cells_are_handled_alike(name: str) -> None:
    inner = make(name)
    assert inner.output_size == UNITS
    state = zeros(inner, 2)
    assert {value.shape[0] for value in tf.nest.flatten(state)} == {2}
    assert not any(np.any(value) for value in tf.nest.flatten(state))
    output, after = inner.advance(tf.ones([2, 5]), state, None, training=False)
    tf.nest.assert_same_structure(after, state)
    assert output.shape == [2, UNITS]
    # The output of a step is the hidden state of the top layer after it.
    np.testing.assert_array_equal(inner.hidden(after, None), output)


def test_values_take_the_form_of_others() -> None:
    like = (LSTMState(tf.zeros([2], tf.float16), tf.zeros([2])), [tf.zeros([1])])
    state = in_form_of(like, [np.ones(2), np.ones(2), np.ones(1)])
    tf.nest.assert_same_structure(state, like)
    assert state[0].hidden.dtype == tf.float16
    with pytest.raises(ValueError, match="a state of 3 tensors is needed, got 1"):
        in_form_of(like, [np.ones(2)])


@pytest.mark.parametrize("name", ["lstm_cell", "gru_cell", "lstm_layer", "gru_layer"])
def test_quick_loop_knows_the_standard_cells(name: str) -> None:
    inner = make(name)
    quick = inner.quick()
    expected = LSTMKernel if "lstm" in name else GRUKernel
    assert type(quick.kernel) is expected
    assert quick.weights is wrapped.keras_cells(inner.cell)[0]
    assert make(name, dtype="mixed_bfloat16").quick() is not None


@pytest.mark.parametrize(
    "cell",
    [
        keras.layers.LSTMCell(UNITS, activation="relu"),
        keras.layers.LSTMCell(UNITS, recurrent_activation="hard_sigmoid"),
        keras.layers.LSTMCell(UNITS, use_bias=False),
        keras.layers.LSTMCell(UNITS, dropout=0.1),
        keras.layers.GRUCell(UNITS, recurrent_dropout=0.1, reset_after=False),
        keras.layers.GRUCell(UNITS),
        keras.layers.SimpleRNNCell(UNITS),
        keras.layers.StackedRNNCells([keras.layers.LSTMCell(UNITS)]),
        LSTMStack(UNITS, 2),
        LSTMStack(UNITS, 1, kernel="keras"),
    ],
)
def test_quick_loop_leaves_all_others_alone(cell: Any) -> None:
    assert AttentionCell(cell).quick() is None


@pytest.mark.parametrize("implementation", [1, 2])
@pytest.mark.parametrize("name", ["lstm_cell", "gru_cell", "stacked_cells"])
def test_keras_cells_drop_the_same_at_every_step(
    name: str, implementation: int
) -> None:
    inner = make(
        name, dropout=0.5, recurrent_dropout=0.5, seed=1, implementation=implementation
    )
    state = tf.nest.map_structure(tf.ones_like, zeros(inner, 3))
    inputs = tf.ones([3, 5])

    def outputs(training: bool = True) -> list[tf.Tensor]:
        masks = inner.draw_masks(5, state, tf.constant(2), training)
        assert masks is None
        results = [inner.advance(inputs, state, None, training)[0] for _ in range(2)]
        inner.forget_masks(state)
        return results

    first, second = outputs(), outputs()
    np.testing.assert_array_equal(*first)
    np.testing.assert_array_equal(*second)
    assert np.abs(first[0] - second[0]).max() > 1e-3
    np.testing.assert_array_equal(*outputs(training=False))


def test_nothing_is_drawn_without_training() -> None:
    inner = make("lstm_cell", dropout=0.5, seed=1)
    before = inner.cell.seed_generator.state.numpy()
    inner.draw_masks(5, zeros(inner, 2), tf.constant(2), training=False)
    np.testing.assert_array_equal(inner.cell.seed_generator.state, before)


def test_query_of_a_stack_has_its_top_layers_dropout() -> None:
    inner = make("lstm_stack", dropout=0.5, variational_dropout=True, seed=1)
    state = tf.nest.map_structure(tf.ones_like, zeros(inner, 4))
    masks = inner.draw_masks(5, state, tf.constant(2), training=True)
    query = inner.hidden(state, masks.at(tf.constant(0)))
    np.testing.assert_array_equal(query, masks.recurrent[-1])
    assert set(np.unique(query)) == {0.0, 2.0}
