"""Deep recurrent networks: layers on top of each other."""

from collections.abc import Sequence
from typing import Any

import keras
import tensorflow as tf

from nmt.distribution import is_placed, placed, variables_on
from nmt.layers.reseeding import reseeded
from nmt.layers.stack_masks import StackMasks, draw_masks
from nmt.layers.stack_parts import cast_state, check_layers, new_norm_layers
from nmt.layers.wavefront import run_in_chunks


class RecurrentStack(keras.layers.Layer):
    """Several recurrent layers, each reading the hidden states of the one below.

    With inputs o^0_t, L layers and D the dropout (Sutskever et al., 2014, section 3.4):

        s^l_t = cell_l(D(o^{l-1}_t), s^l_{t-1})
        o^l_t = h^l_t                             plain, as in the paper
        o^l_t = h^l_t + o^{l-1}_t, l > 1          with `residual` (Wu et al., 2016,
                                                  arXiv:1609.08144, eq. 6)

    for l = 1 ... L, h^l_t the hidden part of s^l_t, and outputs o^L_t. With
    `layer_norm`, every layer but the first reads the layer normalisation of its input
    (Ba et al., 2016, arXiv:1607.06450, eq. 4, outside the recurrence).

    Dropout is on the inputs of all layers but the first, and by default neither on the
    recurrence nor the same at two steps (Zaremba et al., 2014, arXiv:1409.2329); the
    paper has none. With `variational_dropout` (Gal and Ghahramani, 2016,
    arXiv:1512.05287) a sentence's masks are the same at all steps, and h^l_{t-1} has
    one too wherever it is multiplied by a matrix.

    Masking: a masked step leaves every state as it is, so that the final states of a
    padded batch are those of each sequence alone. The outputs there mean nothing.

    The states have the type of the weights, in mixed precision too: a decoder that goes
    step by step rounds none of what it carries along.

    Args:
        units: Width of each layer.
        num_layers: L.
        dropout: Share of units dropped between layers in training.
        variational_dropout: Whether masks stay the same from step to step.
        residual: Whether outputs are added to the inputs from the second layer on; of
            use for 4 layers and more.
        layer_norm: Whether the inputs of layers are normalised from the second one on.
        kernel_initializer: For W of all layers. Each layer draws values of its own,
            even if the initializer has a seed.
        recurrent_initializer: For U, likewise.
        bias_initializer: For b, likewise.
        kernel: Which time loop the layers run, see `LSTM` and `GRU`; with variational
            dropout it is always the quick one in training.
        seed: Of the dropout; None: from Keras' global seed.
        stages: Device of each layer, from 0 among those of a replica: in the scope of a
            `nmt.distribution.DeviceGrid` it lives and runs there, backward too.
        chunk_length: Steps after which a layer hands on its outputs in training, see
            `Wavefront`, by the quick time loop, to the same numbers. 0: all steps.
        **kwargs: As for `keras.layers.Layer`.

    Call arguments:
        inputs: float, `[batch, time, input]`.
        initial_state: One state a layer, lowest first; None: zeros.
        mask: bool, `[batch, time]`; True marks a valid step.
        training: Whether dropout applies.

    Returns:
        outputs: `[batch, time, units]`, in the compute type.
        state: One state a layer, after the last valid step.

    Raises:
        ValueError: `num_layers` is less than 1 or not the number of stages.
    """

    layer_type: Any

    def __init__(
        self,
        units: int,
        num_layers: int,
        dropout: float = 0.0,
        variational_dropout: bool = False,
        residual: bool = False,
        layer_norm: bool = False,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        kernel: str = "auto",
        seed: int | None = None,
        stages: Sequence[int] | None = None,
        chunk_length: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        check_layers(num_layers, stages)
        self.units = units
        self.num_layers = num_layers
        self.dropout = dropout
        self.variational_dropout = variational_dropout
        self.residual = residual
        self.layer_norm = layer_norm
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.recurrent_initializer = keras.initializers.get(recurrent_initializer)
        self.bias_initializer = keras.initializers.get(bias_initializer)
        self.kernel = kernel
        self.seed = seed
        self.stages = None if stages is None else tuple(stages)
        self.chunk_length = chunk_length
        self.supports_masking = True
        self.seed_generator = keras.random.SeedGenerator(seed)
        self.recurrent_layers = [self._new_layer(index) for index in range(num_layers)]
        self.norm_layers = new_norm_layers(self) if layer_norm else []
        for layer in (*self.recurrent_layers, *self.norm_layers):
            # tf.train.Checkpoint saves nothing of layers that are only in a list.
            setattr(self, layer.name, layer)

    @property
    def kernels_in_use(self) -> tuple[str, ...]:
        """The time loop that each layer runs, see `LSTM` and `GRU`."""
        return tuple(layer.kernel_in_use for layer in self.recurrent_layers)

    def build(self, input_shape: Sequence[int | None]) -> None:
        """Creates the weights for inputs `[batch, time, input]`."""
        shape = (None, None, input_shape[-1])
        for index, layer in enumerate(self.recurrent_layers):
            with variables_on(self.stage(index)):
                layer.build(shape)
            shape = (None, None, self.units)
        for index, layer in enumerate(self.norm_layers, start=1):
            with variables_on(self.stage(index)):
                layer.build(shape)
        self.built = True

    def get_initial_state(self, batch_size: Any) -> tuple[Any, ...]:
        """Returns zeros, `[batch, units]`, for every layer."""
        kind = self.layer_type.state_type
        zeros = tf.zeros([batch_size, self.units], self.variable_dtype)
        return (kind(*[zeros] * len(kind._fields)),) * self.num_layers

    def call(
        self,
        inputs: tf.Tensor,
        initial_state: Sequence[Any] | None = None,
        mask: tf.Tensor | None = None,
        training: bool = False,
    ) -> tuple[tf.Tensor, tuple[Any, ...]]:
        """Runs all layers over the sequences; see the class."""
        batch, time = tf.unstack(tf.shape(inputs)[:2])
        masks = self.draw_masks(batch, time, training)
        mask = None if mask is None else tf.cast(mask, tf.bool)
        given = initial_state or (None,) * self.num_layers
        if training and self._runs_in_chunks():
            start = [self._start(each, inputs) for each in given]
            return run_in_chunks(self, inputs, start, mask, masks)
        outputs, final_state = inputs, []
        for index, each in enumerate(given):
            run = placed(self.stage(index), self._call_layer)
            outputs, state = run(
                outputs, each, index=index, mask=mask, masks=masks, training=training
            )
            final_state.append(state)
        return outputs, tuple(final_state)

    def step(
        self,
        inputs: tf.Tensor,
        state: Sequence[Any],
        masks: StackMasks | None = None,
    ) -> tuple[tf.Tensor, tuple[Any, ...]]:
        """Advances all layers by one step, once they are built.

        Args:
            inputs: `[batch, input]`.
            state: One state a layer, lowest first.
            masks: Dropout of this step, from `StackMasks.at`; None: no dropout.

        Returns:
            output: `[batch, units]`.
            state: The next state. Both are what `call` returns for a single step.
        """
        outputs, new_state = tf.cast(inputs, self.compute_dtype), []
        for index in range(self.num_layers):
            run = placed(self.stage(index), self._step_layer)
            outputs, after = run(outputs, state[index], index=index, masks=masks)
            new_state.append(after)
        return outputs, tuple(new_state)

    def draw_masks(
        self, batch: tf.Tensor, time: tf.Tensor, training: bool
    ) -> StackMasks | None:
        """Draws the dropout of a batch of rows and steps; None: nothing is dropped."""
        drops = training and self.dropout
        return draw_masks(self, batch, time) if drops else None

    def get_config(self) -> dict[str, Any]:
        """Returns the constructor's arguments."""
        serialize = keras.initializers.serialize
        return {
            **super().get_config(),
            "units": self.units,
            "num_layers": self.num_layers,
            "dropout": self.dropout,
            "variational_dropout": self.variational_dropout,
            "residual": self.residual,
            "layer_norm": self.layer_norm,
            "kernel_initializer": serialize(self.kernel_initializer),
            "recurrent_initializer": serialize(self.recurrent_initializer),
            "bias_initializer": serialize(self.bias_initializer),
            "kernel": self.kernel,
            "seed": self.seed,
            "stages": self.stages,
            "chunk_length": self.chunk_length,
        }

    def stage(self, index: int) -> int | None:
        """Returns the stage of a layer, if there is one."""
        return None if self.stages is None else self.stages[index]

    def _runs_in_chunks(self) -> bool:
        # On stages one chunk of all steps is traced much sooner than `placed`.
        quick = set(self.kernels_in_use) == {"quick"}
        return self.chunk_length > 0 or (quick and is_placed(self.stage(0)))

    def _call_layer(
        self,
        below: tf.Tensor,
        given: Any,
        index: int,
        mask: tf.Tensor | None,
        masks: StackMasks | None,
        training: bool,
    ) -> tuple[tf.Tensor, Any]:
        """Runs one layer over the outputs below it, from a state or None."""
        layer = self.recurrent_layers[index]
        read = self._read(index, below, masks)
        if masks is not None and masks.recurrent:
            hidden, state = layer.sequence(
                read, self._start(given, read), mask, masks.recurrent[index]
            )
        else:
            hidden, *state = layer(
                read, initial_state=given, mask=mask, training=training
            )
        state = cast_state(layer.state_type(*state), self.variable_dtype)
        return self._output(index, hidden, below), state

    def _step_layer(
        self, below: tf.Tensor, state: Any, index: int, masks: StackMasks | None
    ) -> tuple[tf.Tensor, Any]:
        """Advances one layer by one step."""
        layer = self.recurrent_layers[index]
        read = self._read(index, below, masks)
        before = cast_state(state, self.compute_dtype)
        if masks is not None and masks.recurrent:
            _, after = layer.sequence(
                read[:, tf.newaxis], before, None, masks.recurrent[index]
            )
        else:
            after = layer.step(read, before)
        output = self._output(index, after.hidden, below)
        return output, cast_state(after, self.variable_dtype)

    def _read(
        self, index: int, below: tf.Tensor, masks: StackMasks | None
    ) -> tf.Tensor:
        """Returns what a layer reads of the outputs below it."""
        if index and self.layer_norm:
            below = self.norm_layers[index - 1](below)
        if index and masks is not None:
            below *= masks.between[index - 1]
        return below

    def _output(self, index: int, hidden: tf.Tensor, below: tf.Tensor) -> tf.Tensor:
        return hidden + below if index and self.residual else hidden

    def _start(self, given: Any, inputs: tf.Tensor) -> Any:
        if given is None:
            given = self.get_initial_state(tf.shape(inputs)[0])[0]
        # A plain list in a file of Keras.
        state = self.layer_type.state_type(*given)
        return cast_state(state, self.compute_dtype)

    def _new_layer(self, index: int) -> Any:
        return self.layer_type(
            self.units,
            kernel_initializer=reseeded(self.kernel_initializer, 3 * index),
            recurrent_initializer=reseeded(self.recurrent_initializer, 3 * index + 1),
            bias_initializer=reseeded(self.bias_initializer, 3 * index + 2),
            kernel=self.kernel,
            return_sequences=True,
            return_state=True,
            dtype=self.dtype_policy,
            name=f"{self.layer_type.__name__.lower()}_{index}",
            **self._layer_options(),
        )

    def _layer_options(self) -> dict[str, Any]:
        return {}
