"""How long the parts of an update take on one device: computed, or read from a file."""

import dataclasses
import json
import pathlib
from typing import NamedTuple

FLOAT = 4  # bytes


class Sizes(NamedTuple):
    """One batch of a replica, and the model: by default those of the LSTM paper.

    Attributes:
        batch: Sentence pairs.
        source_words: Of a sentence; its end is one step more. 304M words in 12M pairs.
        target_words: Likewise. 348M words.
        width: Cells of a layer, and of an embedding.
        layers: Of the encoder, and of the decoder.
        vocabulary: Words of the target.
    """

    batch: int = 128
    source_words: int = 25
    target_words: int = 29
    width: int = 1000
    layers: int = 4
    vocabulary: int = 80_000

    @property
    def words(self) -> int:
        """Words of a batch, both languages together, as the paper counts them."""
        return self.batch * (self.source_words + self.target_words)

    @property
    def layer_weights(self) -> int:
        """Numbers in one layer of encoder or decoder."""
        return 8 * self.width * self.width

    @property
    def softmax_weights(self) -> int:
        """Numbers in the softmax."""
        return self.width * self.vocabulary

    @property
    def activations(self) -> int:
        """Bytes that a layer hands on a step."""
        return FLOAT * self.batch * self.width


class Machine(NamedTuple):
    """What one device can do.

    Attributes:
        flops: Floating point operations a second that it really does in large products.
        memory: Bytes a second to and from its memory.
        launch: Seconds that every task takes on top, however small it is.
    """

    flops: float
    memory: float
    launch: float = 0.0


@dataclasses.dataclass(frozen=True)
class StageTimes:
    """Seconds on one device for a whole batch.

    Attributes:
        layer_forward: One layer, one step.
        layer_backward: The same backward, gradients of the weights included.
        softmax_forward: The whole softmax, one step of the target.
        softmax_backward: The same backward.
        layer_update: New weights of one layer of both encoder and decoder.
        softmax_update: New weights of the whole softmax.
        launch: What every task takes on top.
    """

    layer_forward: float
    layer_backward: float
    softmax_forward: float
    softmax_backward: float
    layer_update: float = 0.0
    softmax_update: float = 0.0
    launch: float = 0.0


def computed_times(sizes: Sizes, machine: Machine) -> StageTimes:
    """Computes the times from the rates of a device.

    A product of `batch` rows with n weights takes

        max(2 batch n / flops, 4 n / memory)

    seconds, and its gradients (of the inputs and of the weights) twice as long. An
    update reads weights and gradients, the norm of the gradients reads these once more,
    and the new weights are written: 16 bytes a weight.

    Example:
        >>> sizes = Sizes(batch=2, width=1, layers=1, vocabulary=4)
        >>> computed_times(sizes, Machine(flops=16.0, memory=1e9)).layer_forward
        2.0
    """

    def product(weights: int) -> float:
        return max(
            2 * sizes.batch * weights / machine.flops, FLOAT * weights / machine.memory
        )

    layer, softmax = product(sizes.layer_weights), product(sizes.softmax_weights)
    update = 4 * FLOAT / machine.memory
    return StageTimes(
        layer,
        2 * layer,
        softmax,
        2 * softmax,
        2 * sizes.layer_weights * update,
        sizes.softmax_weights * update,
        machine.launch,
    )


def read_times(path: str) -> StageTimes:
    """Reads measured times: a JSON object with the names of `StageTimes`.

    Raises:
        ValueError: the file is not that, in one line.
    """
    try:
        content = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
        times = StageTimes(**content)
        for name, seconds in dataclasses.asdict(times).items():
            if isinstance(seconds, bool) or not 0 <= float(seconds) < float("inf"):
                raise ValueError(f"{name} is no number of seconds")
    except (OSError, TypeError, ValueError) as error:
        raise ValueError(f"{path}: not the times of stages: {error}") from error
    return times
