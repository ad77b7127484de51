"""The quicker ways to run, against the plain loop that TensorFlow differentiates."""

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from tests.layers import wrapped
from tests.layers.cases import (
    EXECUTIONS,
    assert_equal_nests,
    mask_of,
    weighted_total,
)
from tests.tolerance import assert_close

QUICK = [
    ("lstm_cell", "previous", "bahdanau"),
    ("gru_cell", "previous", "bahdanau"),
    ("lstm_layer", "previous", "bahdanau"),
    ("gru_layer", "previous", "normalized"),
]
HOISTED = [
    ("lstm_stack", "new_unfed", "general"),
    ("gru_stack", "new_unfed", "bahdanau"),
]
DROPPING = {"dropout": 0.5, "variational_dropout": True, "seed": 3}


def run(
    wrapper: Any, mask: np.ndarray | None = None, training: bool = False
) -> tuple[Any, Any]:
    """Returns what the wrapper gives, and the gradients of a total of all that."""
    inputs, annotations = wrapped.batch()
    start = wrapped.start_of(wrapper)
    weights = [weight.value for weight in wrapper.trainable_variables]
    sources = [inputs, annotations, *tf.nest.flatten(start), *weights]
    with tf.GradientTape() as tape:
        tape.watch(sources)
        outputs = wrapper(
            inputs,
            wrapped.memory_of(wrapper, annotations),
            initial_state=start,
            inputs_mask=mask,
            training=training,
        )
        # What is given at masked steps means nothing, and is not the same.
        valid = True if mask is None else mask[:, :, np.newaxis]
        kept = [tf.where(valid, each, 0) for each in outputs[:3]]
        found = type(outputs)(*kept, outputs.state)
        total = weighted_total(found)
    return found, tape.gradient(total, sources)


@pytest.mark.parametrize(
    ("cell", "order", "attention", "mask"),
    [
        (*QUICK[0], None),
        (*QUICK[1], "holes"),
        (*QUICK[2], "empty_row"),
        (*QUICK[3], "right_padded"),
        (*HOISTED[0], "holes"),
        (*HOISTED[1], None),
    ],
)
def test_quicker_loops_equal_the_plain_one(
    cell: str, order: str, attention: str, mask: str | None
) -> None:
    quick = wrapped.make(cell, order, attention)
    plain = wrapped.make(cell, order, attention, kernel="plain")
    assert quick.kernel_in_use in ("quick", "hoisted")
    assert plain.kernel_in_use == "plain"
    valid = None if mask is None else mask_of(mask)
    (outputs, gradients), (expected, expected_gradients) = (
        run(wrapper, valid) for wrapper in (quick, plain)
    )
    assert_equal_nests(outputs, expected, what="output")
    assert_equal_nests(gradients, expected_gradients, what="gradient")


@pytest.mark.parametrize(
    ("cell", "order", "options"),
    [
        ("lstm_layer", "previous", DROPPING),
        ("gru_layer", "previous", DROPPING),
        ("lstm_stack", "new_unfed", DROPPING),
        (
            "gru_stack",
            "new_unfed",
            {"dropout": 0.5, "seed": 3, "residual": True, "layer_norm": True},
        ),
    ],
)
def test_quicker_loops_drop_what_the_plain_one_drops(
    cell: str, order: str, options: dict[str, Any]
) -> None:
    quick, plain = (
        wrapped.make(cell, order, cell_options=options, kernel=kernel)
        for kernel in ("auto", "plain")
    )
    mask = mask_of("right_padded")
    results = [run(each, mask, True) for each in (quick, plain)]
    assert_equal_nests(*results)
    kept, _ = run(quick, mask)
    assert np.abs(results[0][0].outputs - kept.outputs).max() > 0.01


@pytest.mark.parametrize(
    ("cell", "order", "execution"),
    [
        ("lstm_cell", "previous", "eager"),
        ("gru_cell", "new_attentional", "eager"),
        ("stacked_cells", "previous", "graph"),
        ("stacked_cells", "new_unfed", "eager"),
    ],
)
def test_plain_loop_has_the_dropout_of_keras_cells(
    cell: str, order: str, execution: str
) -> None:
    options = {"dropout": 0.4, "recurrent_dropout": 0.4, "seed": 3}
    wrapper = wrapped.make(cell, order, dtype="float32", cell_options=options)
    inputs, annotations = wrapped.batch("float32")
    call = EXECUTIONS[execution](wrapper.__call__)
    one, other = (call(inputs, annotations, training=True) for _ in range(2))
    assert np.abs(one.outputs - other.outputs).max() > 1e-3
    exact = [call(inputs, annotations).outputs for _ in range(2)]
    np.testing.assert_array_equal(*exact)
    plain = wrapped.make(cell, order, dtype="float32")
    assert_close(exact[0], plain(inputs, annotations).outputs, "float32")


def test_xla_equals_eager() -> None:
    wrapper = wrapped.make(*QUICK[3])
    mask = mask_of("holes")
    result = EXECUTIONS["xla"](lambda: run(wrapper, mask))()
    assert_equal_nests(result, run(wrapper, mask))


@pytest.mark.parametrize(
    ("cell", "order", "attention", "kernel"),
    [(*QUICK[0], "auto"), (*QUICK[0], "plain"), (*HOISTED[0], "auto")],
)
def test_known_sizes_stay_known(
    cell: str, order: str, attention: str, kernel: str
) -> None:
    wrapper = wrapped.make(cell, order, attention, dtype="float32", kernel=kernel)
    graph = tf.function(wrapper.__call__).get_concrete_function(
        tf.TensorSpec([None, None, wrapped.WIDTH]), tf.TensorSpec([None, None, 4])
    )
    shapes = graph.structured_outputs
    width = wrapper.attention_size or wrapped.UNITS
    assert shapes.outputs.shape.as_list() == [None, None, width]
    assert shapes.contexts.shape.as_list() == [None, None, 4]
    assert shapes.alignments.shape.rank == 3
