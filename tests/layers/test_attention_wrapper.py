from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

from nmt.layers.attention_state import AttentionState
from nmt.layers.attention_wrapper import AttentionWrapper
from nmt.layers.bahdanau_attention import BahdanauAttention
from nmt.layers.luong_attention import LuongAttention
from tests.layers import wrapped
from tests.layers.attentions import ANNOTATION
from tests.layers.cases import EXECUTIONS, assert_equal_nests
from tests.tolerance import assert_close

every_order = pytest.mark.parametrize("order", wrapped.ORDERS)
# Each cell, order and attention at least once.
WRAPPERS = [
    *((cell, "previous", "bahdanau") for cell in wrapped.CELLS),
    *(("lstm_stack", order, "general") for order in wrapped.ORDERS),
    ("gru_cell", "new_attentional", "scaled"),
    ("gru_layer", "previous", "normalized"),
    ("lstm_cell", "new", "normalized"),
    ("stacked_cells", "new_unfed", "bahdanau"),
]


def assert_equals_the_reference(outputs: Any, expected: Any, dtype: str) -> None:
    assert_close(outputs.outputs, expected.outputs, dtype, "outputs")
    assert_close(outputs.contexts, expected.contexts, dtype, "contexts")
    assert_close(outputs.alignments, expected.alignments, dtype, "alignments")
    assert_equal_nests(outputs.state.cell, expected.state, dtype, "state of the cell")
    assert_close(outputs.state.attention, expected.attentional, dtype, "attention")
    last = expected.alignments[:, -1]
    assert_close(outputs.state.alignments, last, dtype, "last alignments")


@pytest.mark.parametrize(
    ("cell", "order", "attention", "execution", "dtype"),
    [
        *((*wrapper, "eager", "float64") for wrapper in WRAPPERS),
        *((*wrapper, "graph", "float32") for wrapper in WRAPPERS[4:9:4]),
    ],
)
def test_all_steps_equal_the_reference(
    cell: str, order: str, attention: str, execution: str, dtype: str
) -> None:
    wrapper = wrapped.make(cell, order, attention, dtype)
    inputs, annotations = wrapped.batch(dtype)
    start = wrapped.start_of(wrapper)
    call = EXECUTIONS[execution](wrapper.__call__)
    memory = wrapped.memory_of(wrapper, annotations)
    outputs = call(inputs, memory, initial_state=start)
    expected = wrapped.reference(wrapper, attention, inputs, annotations, start)
    assert_equals_the_reference(outputs, expected, dtype)


@pytest.mark.parametrize(("order", "wrong"), [("previous", "new"), ("new", "previous")])
@pytest.mark.parametrize("cell", ["lstm_cell", "gru_layer"])
def test_the_other_order_in_time_would_be_noticed(
    cell: str, order: str, wrong: str
) -> None:
    wrapper = wrapped.make(cell, order)
    inputs, annotations = wrapped.batch()
    start = wrapped.start_of(wrapper)
    arguments = (wrapper, "bahdanau", inputs, annotations, start)
    right, other = wrapped.reference(*arguments), wrapped.reference(*arguments, wrong)
    assert np.abs(right.alignments - other.alignments)[:, 0].max() > 1e-3
    assert np.abs(right.outputs - other.outputs)[:, -1].max() > 1e-3


@pytest.mark.parametrize(("cell", "order", "attention"), WRAPPERS[::2])
def test_single_steps_equal_a_call(cell: str, order: str, attention: str) -> None:
    wrapper = wrapped.make(cell, order, attention)
    inputs, annotations = wrapped.batch()
    memory = wrapped.memory_of(wrapper, annotations)
    start = wrapped.start_of(wrapper)
    whole = wrapper(inputs, memory, initial_state=start)
    state = wrapper.get_initial_state(memory, start)
    for t in range(wrapped.TARGET_LENGTH):
        output, state = wrapper.step(inputs[:, t], state, memory)
        assert_close(output, whole.outputs[:, t], "float64", f"step {t}")
        assert_close(state.alignments, whole.alignments[:, t], "float64", f"step {t}")
    assert_equal_nests(state, whole.state)


@pytest.mark.parametrize(
    ("order", "policy"),
    [
        ("previous", "float64"),
        ("previous", "mixed_bfloat16"),
        ("new_attentional", "mixed_bfloat16"),
        ("new_unfed", "mixed_float16"),
    ],
)
def test_two_halves_are_the_whole(order: str, policy: str) -> None:
    wrapper = wrapped.make("gru_layer", order, dtype=policy)
    inputs, annotations = wrapped.batch(wrapper.compute_dtype)
    memory = wrapped.memory_of(wrapper, annotations)
    whole = wrapper(inputs, memory)
    first = wrapper(inputs[:, :1], memory)
    rest = wrapper(inputs[:, 1:], memory, initial_state=first.state)
    assert type(rest.state) is AttentionState
    kinds = [value.dtype for value in tf.nest.flatten(first)]
    assert [value.dtype for value in tf.nest.flatten(rest)] == kinds
    dtype = wrapper.compute_dtype
    for part in ("outputs", "contexts", "alignments"):
        values = [getattr(each, part) for each in (first, rest)]
        assert_equal_nests(tf.concat(values, 1), getattr(whole, part), dtype, part)
    assert_equal_nests(rest.state, whole.state, dtype)


@pytest.mark.parametrize(
    ("cell", "order", "policy"),
    [
        ("lstm_layer", "previous", "mixed_bfloat16"),
        ("stacked_cells", "previous", "mixed_float16"),
        ("gru_cell", "new", "mixed_bfloat16"),
        ("lstm_stack", "new_unfed", "mixed_float16"),
    ],
)
def test_mixed_precision_is_near_float64(cell: str, order: str, policy: str) -> None:
    wrapper = wrapped.make(cell, order, dtype=policy)
    inputs, annotations = wrapped.batch("float32")
    outputs = wrapper(inputs, wrapped.memory_of(wrapper, annotations))
    dtype = wrapper.compute_dtype
    assert outputs.outputs.dtype == outputs.contexts.dtype == dtype
    assert outputs.alignments.dtype == outputs.state.alignments.dtype == tf.float32
    exact = wrapped.make(cell, order)
    inputs, annotations = wrapped.batch()
    expected = exact(inputs, wrapped.memory_of(exact, annotations))
    assert_equal_nests(outputs, expected, dtype)


@pytest.mark.parametrize(
    ("cell", "order"),
    [
        ("gru_cell", "previous"),
        ("lstm_stack", "previous"),
        ("gru_cell", "new_attentional"),
        ("lstm_stack", "new_unfed"),
    ],
)
def test_masked_steps_leave_the_state(cell: str, order: str) -> None:
    wrapper = wrapped.make(cell, order)
    inputs, annotations = wrapped.batch()
    memory = wrapped.memory_of(wrapper, annotations)
    start = wrapped.start_of(wrapper)
    mask = np.array([[1, 1, 1, 1], [0, 0, 1, 1], [0, 0, 0, 0]], bool)
    spoilt = tf.where(mask[:, :, np.newaxis], inputs, 1e3)
    outputs = wrapper(spoilt, memory, initial_state=start, inputs_mask=mask)
    # Left padding, so that the second sentence begins late.
    full = wrapper(inputs, memory, initial_state=start)
    late = wrapper(inputs[:, 2:], memory, initial_state=start)
    nothing = wrapper.get_initial_state(memory, start)
    for row, expected in enumerate((full.state, late.state, nothing)):
        for one, other in zip(
            tf.nest.flatten(outputs.state), tf.nest.flatten(expected), strict=True
        ):
            assert_close(one[row], other[row], "float64", f"sentence {row}")
    assert_close(outputs.outputs[0], full.outputs[0], "float64")
    assert_close(outputs.outputs[1, 2:], late.outputs[1], "float64")


@every_order
def test_padding_and_batch_order_change_nothing(order: str) -> None:
    wrapper = wrapped.make("gru_layer", order)
    inputs, annotations = (value.numpy() for value in wrapped.batch())
    expected = wrapper(inputs, wrapped.memory_of(wrapper, annotations))
    rows = np.array([2, 0, 1])
    inputs = np.pad(inputs, [(0, 0), (0, 2), (0, 0)], constant_values=9)[rows]
    annotations = np.pad(annotations, [(0, 0), (0, 3), (0, 0)], constant_values=9)[rows]
    memory_mask = np.pad(wrapped.MEMORY_MASK, [(0, 0), (0, 3)])[rows]
    mask = np.arange(6)[np.newaxis] < np.full([3, 1], 4)
    memory = wrapper.attention.build_memory(annotations, memory_mask)
    outputs = wrapper(inputs, memory, inputs_mask=mask)
    assert_close(outputs.outputs[:, :4], expected.outputs.numpy()[rows], "float64")
    alignments = outputs.alignments.numpy()
    np.testing.assert_array_equal(alignments[:, :, 5:], 0)
    assert_close(alignments[:, :4, :5], expected.alignments.numpy()[rows], "float64")
    assert_close(alignments.sum(-1), [[0] * 6, [1] * 6, [1] * 6], "float64")
    state = [value.numpy()[rows] for value in tf.nest.flatten(expected.state)]
    flat = tf.nest.flatten(outputs.state)
    assert_equal_nests([*flat[:-1], flat[-1][:, :5]], state)


@every_order
def test_gradients_are_finite_where_the_memory_is_padding(order: str) -> None:
    wrapper = wrapped.make("lstm_layer", order, dtype="float32")
    inputs, annotations = wrapped.batch("float32")
    weights = [weight.value for weight in wrapper.trainable_variables]
    with tf.GradientTape() as tape:
        tape.watch(annotations)
        outputs = wrapper(inputs, wrapped.memory_of(wrapper, annotations))
        total = tf.reduce_sum(outputs.outputs**2) + tf.reduce_sum(outputs.alignments**2)
    gradients = tape.gradient(total, [annotations, *weights])
    assert all(np.isfinite(gradient).all() for gradient in gradients)
    np.testing.assert_array_equal(gradients[0].numpy()[~wrapped.MEMORY_MASK], 0)


def test_two_memories_live_in_one_graph() -> None:
    wrapper = wrapped.make("gru_layer", "previous")
    inputs, annotations = wrapped.batch()

    @tf.function
    def both() -> Any:
        one = wrapped.memory_of(wrapper, annotations)
        other = wrapper.attention.build_memory(-annotations[:, :3])
        return wrapper(inputs, one), wrapper(inputs, other), wrapper(inputs, one)

    first, second, again = both()
    assert_equal_nests(again, first)
    expected = wrapper(inputs, wrapper.attention.build_memory(-annotations[:, :3]))
    assert_equal_nests(second, expected)
    expected = wrapper(inputs, wrapped.memory_of(wrapper, annotations))
    assert_equal_nests(first, expected)


@every_order
def test_masks_come_from_the_embeddings(order: str) -> None:
    target = np.array([[1, 2, 3], [4, 0, 0]])
    source = np.array([[1, 2, 3, 4], [4, 3, 0, 0]])
    inputs, annotations = (
        keras.layers.Embedding(5, width, mask_zero=True)(ids)
        for ids, width in ((target, wrapped.WIDTH), (source, ANNOTATION))
    )
    wrapper = wrapped.make("lstm_layer", order, dtype="float32")
    outputs = wrapper(inputs, annotations)
    memory = wrapper.attention.build_memory(tf.identity(annotations), source != 0)
    expected = wrapper(tf.identity(inputs), memory, inputs_mask=target != 0)
    assert_equal_nests(outputs, expected, "float32")
    np.testing.assert_array_equal(outputs.alignments[1, :, 2:], 0)
    # Losses and metrics of `fit` find the mask there.
    np.testing.assert_array_equal(outputs.outputs._keras_mask, target != 0)


def test_xla_equals_eager() -> None:
    wrapper = wrapped.make("stacked_cells", "new_attentional")
    inputs, annotations = wrapped.batch()

    def run() -> Any:
        return wrapper(inputs, wrapped.memory_of(wrapper, annotations))

    assert_equal_nests(EXECUTIONS["xla"](run)(), run())


def test_kernel_in_use_is_told() -> None:
    def kernel(
        cell: str, order: str, attention: str = "bahdanau", **options: Any
    ) -> str:
        return wrapped.make(cell, order, attention, **options).kernel_in_use

    for cell in ("lstm_cell", "gru_cell", "lstm_layer", "gru_layer"):
        assert kernel(cell, "previous") == "quick"
        assert kernel(cell, "previous", kernel="plain") == "plain"
        assert kernel(cell, "previous", "normalized") == "quick"
        assert kernel(cell, "previous", "general") == "plain"
        assert kernel(cell, "new") == "plain"
    assert kernel("lstm_stack", "previous") == "plain"
    assert kernel("lstm_stack", "new_unfed") == "hoisted"
    assert kernel("lstm_stack", "new_unfed", kernel="plain") == "plain"
    assert kernel("stacked_cells", "new_unfed") == "plain"
    hoisted = wrapped.make("lstm_stack", "new_unfed")
    assert hoisted.kernels_in_use == ("quick", "quick")
    assert wrapped.make("gru_cell", "new").kernels_in_use == ("plain",)


def test_wrong_arguments_are_refused() -> None:
    cell, attention = keras.layers.LSTMCell(3), BahdanauAttention(4)
    with pytest.raises(ValueError, match="query must be 'previous' or 'new', got 'ne"):
        AttentionWrapper(cell, attention, query="next")
    with pytest.raises(ValueError, match="kernel must be 'auto' or 'plain', got 'qui"):
        AttentionWrapper(cell, attention, kernel="quick")
    for option in ({"attention_size": 4}, {"input_feeding": False}):
        with pytest.raises(ValueError, match="are for query='new'"):
            AttentionWrapper(cell, attention, **option)


@pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
def test_state_passes_from_wrapper_to_wrapper_in_a_keras_file(tmp_path: Any) -> None:
    one = wrapped.make("lstm_stack", "previous", dtype="float32")
    other = wrapped.make("stacked_cells", "new_attentional", "general", dtype="float32")
    inputs, annotations = wrapped.batch("float32")
    first, second = keras.Input([None, wrapped.WIDTH]), keras.Input([None, ANNOTATION])
    state = one(first, second).state
    outputs = [
        other(first, second, initial_state=other(first, second).state.cell).outputs,
        one(first, second, initial_state=state).outputs,
    ]
    model = keras.Model([first, second], outputs)
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    expected = model([inputs, annotations])
    assert_equal_nests(loaded([inputs, annotations]), expected, "float32")
    eager = one(inputs, annotations)
    eager = one(inputs, annotations, initial_state=eager.state)
    assert_equal_nests(expected[1], eager.outputs, "float32")


def test_a_layer_with_the_methods_of_an_attention_can_be_wrapped() -> None:
    class Mean(LuongAttention):
        def call(self, query: Any, memory: Any, memory_mask: Any = None) -> Any:
            weights = tf.cast(memory.mask, tf.float32)
            weights /= tf.maximum(tf.reduce_sum(weights, -1, keepdims=True), 1)
            return tf.einsum("bj,bja->ba", weights, memory.annotations), weights

    wrapper = AttentionWrapper(keras.layers.SimpleRNNCell(3), Mean("general"))
    inputs, annotations = wrapped.batch("float32")
    outputs = wrapper(inputs, annotations, memory_mask=wrapped.MEMORY_MASK)
    mean = annotations.numpy()[1, :2].mean(0)
    assert wrapper.kernel_in_use == "plain"
    assert_close(outputs.contexts[1], [mean] * 4, "float32")
