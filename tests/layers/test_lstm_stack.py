"""What is particular to stacks of LSTMs; the rest: `test_recurrent_stack`."""

import numpy as np

from nmt.layers.lstm import LSTM
from nmt.layers.lstm_cell import LSTMState
from nmt.layers.lstm_stack import LSTMStack

UNITS, WIDTH, LAYERS = 3, 2, 3


def make(unit_forget_bias: bool = True) -> LSTMStack:
    stack = LSTMStack(UNITS, LAYERS, unit_forget_bias=unit_forget_bias)
    stack.build((None, None, WIDTH))
    return stack


def test_layers_are_lstms() -> None:
    stack = make()
    assert {type(layer) for layer in stack.recurrent_layers} == {LSTM}
    assert {type(state) for state in stack.get_initial_state(2)} == {LSTMState}
    above = 4 * UNITS * (UNITS + UNITS + 1)
    assert stack.count_params() == 4 * UNITS * (WIDTH + UNITS + 1) + 2 * above


def test_forget_gates_start_open_unless_told() -> None:
    for start in (True, False):
        for layer in make(start).recurrent_layers:
            forget = layer.cell.bias[UNITS : 2 * UNITS]
            np.testing.assert_array_equal(forget, np.full(UNITS, float(start)))


def test_config_keeps_the_forget_bias() -> None:
    assert not LSTMStack.from_config(make(False).get_config()).unit_forget_bias
