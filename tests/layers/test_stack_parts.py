"""What stacks share."""

import pytest
import tensorflow as tf

from nmt.layers import GRUStack, LSTMState
from nmt.layers.stack_parts import cast_state, check_layers, new_norm_layers


def test_states_keep_their_form_in_another_type() -> None:
    state = cast_state(LSTMState(tf.ones([1, 2]), tf.zeros([1, 2])), "bfloat16")
    assert isinstance(state, LSTMState)
    assert {part.dtype for part in state} == {tf.bfloat16}


@pytest.mark.parametrize(
    ("num_layers", "stages", "message"),
    [
        (0, None, "must be at least 1, got 0"),
        (3, [0, 1], r"stages \(0, 1\) are not one for each layer"),
    ],
)
def test_what_is_no_stack_is_refused(
    num_layers: int, stages: list[int] | None, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        check_layers(num_layers, stages)
    with pytest.raises(ValueError, match=message):
        GRUStack(4, num_layers, stages=stages)


def test_all_layers_but_the_first_are_normalised() -> None:
    names = [layer.name for layer in new_norm_layers(GRUStack(4, 3))]
    assert names == ["layer_norm_1", "layer_norm_2"]
