"""One way to handle what an attention wrapper can be put around."""

from typing import Any, NamedTuple

import keras
import tensorflow as tf

from nmt.layers.cell_kernel import CellKernel
from nmt.layers.gru_kernel import GRUKernel
from nmt.layers.lstm_kernel import LSTMKernel
from nmt.layers.recurrent_stack import RecurrentStack
from nmt.layers.stack_masks import StackMasks


class QuickCell(NamedTuple):
    """A cell whose arithmetic the quick loop knows.

    Attributes:
        kernel: That arithmetic.
        weights: The Keras cell that has the weights.
    """

    kernel: CellKernel
    weights: Any


class AttentionCell:
    """A Keras RNN cell, `StackedRNNCells`, or one of our stacks.

    Args:
        cell: Any of them.
    """

    def __init__(self, cell: Any) -> None:
        self.cell = cell
        self.is_stack = isinstance(cell, RecurrentStack)

    @property
    def output_size(self) -> int:
        """Width of the output."""
        return self.cell.units if self.is_stack else self.cell.output_size

    def build(self, input_size: int) -> None:
        """Creates the weights."""
        if not self.cell.built:
            shape = (None, None, input_size) if self.is_stack else (None, input_size)
            self.cell.build(shape)

    def hidden(self, state: Any, masks: StackMasks | None) -> tf.Tensor:
        """Returns h of the top layer as a step reads it, `[batch, hidden]`.

        Args:
            state: The state before the step.
            masks: Of the step, for one of our stacks.
        """
        if self.is_stack:
            hidden = state[-1].hidden
            if masks is not None and masks.recurrent:
                hidden *= tf.cast(masks.recurrent[-1], hidden.dtype)
            return hidden
        if isinstance(self.cell, keras.layers.StackedRNNCells):
            state = state[-1]
        return tf.nest.flatten(state)[0]

    def advance(
        self, inputs: tf.Tensor, state: Any, masks: Any, training: bool
    ) -> tuple[tf.Tensor, Any]:
        """Runs one step.

        Args:
            inputs: `[batch, input]`.
            state: The state before.
            masks: Of this step, for one of our stacks.
            training: Whether dropout applies.

        Returns:
            output: `[batch, output]`.
            state: The next state.
        """
        if self.is_stack:
            return self.cell.step(inputs, state, masks)
        output, new = self.cell(inputs, state, training=training)
        return output, tf.nest.pack_sequence_as(state, tf.nest.flatten(new))

    def draw_masks(
        self, input_size: int, state: Any, time: tf.Tensor, training: bool
    ) -> StackMasks | None:
        """Draws dropout before the loop; Keras' cells keep theirs to themselves.

        Args:
            input_size: Width of what a step reads.
            state: The first state.
            time: Steps.
            training: Whether dropout applies.
        """
        batch = tf.shape(tf.nest.flatten(state)[0])[0]
        if self.is_stack:
            return self.cell.draw_masks(batch, time, training)
        for cell, cell_state in self._keras_cells(state):
            if training and hasattr(cell, "get_dropout_mask"):
                cell.get_dropout_mask(tf.zeros([batch, input_size], cell.compute_dtype))
                cell.get_recurrent_dropout_mask(tf.nest.flatten(cell_state)[0])
            input_size = cell.output_size
        return None

    def forget_masks(self, state: Any) -> None:
        """Lets Keras' cells draw anew the next time."""
        if self.is_stack:
            return
        for cell, _ in self._keras_cells(state):
            if hasattr(cell, "reset_dropout_mask"):
                cell.reset_dropout_mask()
                cell.reset_recurrent_dropout_mask()

    def quick(self) -> QuickCell | None:
        """Returns what the quick loop needs; None: it does not know this cell."""
        if self.is_stack:
            if self.cell.num_layers > 1 or self.cell.kernel == "keras":
                return None
            return _quick_cell(self.cell.recurrent_layers[0].cell)
        return _quick_cell(self.cell)

    def _keras_cells(self, state: Any) -> list[tuple[Any, Any]]:
        if isinstance(self.cell, keras.layers.StackedRNNCells):
            return list(zip(self.cell.cells, state, strict=True))
        return [(self.cell, state)]


def in_form_of(like: Any, values: Any) -> Any:
    """Returns the values in the structure and the types of others.

    Raises:
        ValueError: there are more or fewer of them.
    """
    given, needed = tf.nest.flatten(values), tf.nest.flatten(like)
    if len(given) != len(needed):
        raise ValueError(
            f"a state of {len(needed)} tensors is needed, got {len(given)}"
        )
    pairs = zip(given, needed, strict=True)
    flat = [tf.cast(value, other.dtype) for value, other in pairs]
    return tf.nest.pack_sequence_as(like, flat)


def _quick_cell(cell: Any) -> QuickCell | None:
    kernels: dict[Any, CellKernel] = {
        keras.layers.LSTMCell: LSTMKernel(),
        keras.layers.GRUCell: GRUKernel(),
    }
    if type(cell) not in kernels or cell.dropout or cell.recurrent_dropout:
        return None
    plain = (
        cell.activation is keras.activations.tanh
        and cell.recurrent_activation is keras.activations.sigmoid
        and not getattr(cell, "reset_after", False)
        and cell.use_bias
    )
    return QuickCell(kernels[type(cell)], cell) if plain else None
