"""One way to handle what an attention wrapper can be put around."""


from typing import Any, NamedTuple

import keras
import tensorflow as tf

from nmt.layers.cell_kernel import CellKernel
from nmt.layers.gru_kernel import GRUKernel
from nmt.layers.lstm_kernel import LSTMKernel
from nmt.layers.recurrent_stack import RecurrentStack, StackMasks, cast_state



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

    def start(self, given: Any, batch: tf.Tensor) -> Any:
        """Returns the first state: what is given, in the cell's own form, or zeros."""
        zeros = self.cell.get_initial_state(batch_size=batch)
        if given is None:
            return zeros
        flat = [
            tf.cast(value, zero.dtype)
            for value, zero in zip(
                tf.nest.flatten(given), tf.nest.flatten(zeros), strict=True
            )
        ]
        return tf.nest.pack_sequence_as(zeros, flat)

    def hidden(self, state: Any) -> tf.Tensor:
        """Returns the hidden state of the top layer, `[batch, hidden]`."""
        if self.is_stack:
            return state[-1].hidden
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
        self, inputs: tf.Tensor, state: Any, time: tf.Tensor, training: bool
    ) -> StackMasks | None:
        """Draws dropout before the loop; Keras' cells keep theirs to themselves.

        Args:
            inputs: Of the first step.
            state: The first state.
            time: Steps.
            training: Whether dropout applies.
        """
        if self.is_stack:
            batch = tf.shape(inputs)[0]
            return self.cell.draw_masks(batch, time, training)
        for cell, cell_state in self._keras_cells(state):
            if hasattr(cell, "get_dropout_mask"):
                cell.get_dropout_mask(inputs)
                cell.get_recurrent_dropout_mask(tf.nest.flatten(cell_state)[0])
            inputs = tf.zeros([tf.shape(inputs)[0], cell.output_size], inputs.dtype)
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
            if self.cell.num_layers != 1 or self.cell.kernel == "keras":
                return None
            layer = self.cell.recurrent_layers[0]
            return _quick_cell(layer.cell) if layer.kernel != "keras" else None
        return _quick_cell(self.cell)

    def quick_state(self, quick: QuickCell, state: Any, dtype: str) -> Any:
        """Returns a state as the quick loop takes it."""
        return cast_state(quick.kernel.state_type(*tf.nest.flatten(state)), dtype)

    def own_state(self, state: Any, like: Any) -> Any:
        """Returns the quick loop's state as the cell has it."""
        flat = [
            tf.cast(value, old.dtype)
            for value, old in zip(state, tf.nest.flatten(like), strict=True)
        ]
        return tf.nest.pack_sequence_as(like, flat)

    def _keras_cells(self, state: Any) -> list[tuple[Any, Any]]:
        if isinstance(self.cell, keras.layers.StackedRNNCells):
            return list(zip(self.cell.cells, state, strict=True))
        return [(self.cell, state)]


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


