"""What is particular to stacks of GRUs; the rest: `test_recurrent_stack`."""

from nmt.layers.gru import GRU
from nmt.layers.gru_cell import GRUState
from nmt.layers.gru_stack import GRUStack

UNITS, WIDTH, LAYERS = 3, 2, 3


def test_layers_are_the_papers_grus() -> None:
    stack = GRUStack(UNITS, LAYERS)
    stack.build((None, None, WIDTH))
    assert {type(layer) for layer in stack.recurrent_layers} == {GRU}
    assert not any(layer.reset_after for layer in stack.recurrent_layers)
    assert {type(state) for state in stack.get_initial_state(2)} == {GRUState}
    above = 3 * UNITS * (UNITS + UNITS + 1)
    assert stack.count_params() == 3 * UNITS * (WIDTH + UNITS + 1) + 2 * above
