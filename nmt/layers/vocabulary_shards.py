"""How a vocabulary is cut into slices, and how a slice starts as the whole would."""

import re
from typing import Any, NamedTuple

import tensorflow as tf

# Weights that are cut, and their axis of words.
_AXES = {"embeddings": 0, "kernel": 1, "bias": 0}
_NAME = re.compile(rf"({'|'.join(_AXES)})_shard_(\d+)")


class VocabularyShard(NamedTuple):
    """The words of one slice: those from `first` to before `last`.

    Attributes:
        first: Id of its first word.
        last: Id of the word after its last one.
    """

    first: int
    last: int

    @property
    def size(self) -> int:
        """Number of its words."""
        return self.last - self.first

    def local(self, ids: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """Tells which ids are its own, and their rows in it.

        Args:
            ids: int, of the whole vocabulary, any shape.

        Returns:
            own: bool, of that shape.
            rows: int, of that shape, in `[0, size)`; 0 for an id that is not its own.
        """
        own = (ids >= self.first) & (ids < self.last)
        return own, tf.where(own, ids - self.first, 0)


def vocabulary_shards(vocabulary_size: int, shards: int) -> tuple[VocabularyShard, ...]:
    """Cuts a vocabulary of V words into K slices of ceil(V / K) words each.

    The last one is smaller where K does not divide V, and where slices of that size
    are used up before there are K of them, there are fewer.

    Args:
        vocabulary_size: V.
        shards: K.

    Raises:
        ValueError: V or K is below 1.

    Example:
        >>> [tuple(shard) for shard in vocabulary_shards(10, 4)]
        [(0, 3), (3, 6), (6, 9), (9, 10)]
        >>> [tuple(shard) for shard in vocabulary_shards(5, 4)]
        [(0, 2), (2, 4), (4, 5)]
    """
    if vocabulary_size < 1 or shards < 1:
        raise ValueError(
            f"a vocabulary of {vocabulary_size} words cannot be cut into {shards} parts"
        )
    size = -(-vocabulary_size // shards)
    return tuple(
        VocabularyShard(first, min(first + size, vocabulary_size))
        for first in range(0, vocabulary_size, size)
    )


def shard_initializer(
    initializer: Any, shard: VocabularyShard, shape: tuple[int, ...], weight: str
) -> Any:
    """Makes a slice start with the values that it has in the whole weight.

    The whole is drawn for each slice, so that its scale and, from equal seeds, its
    values do not depend on the number of slices.

    Args:
        initializer: Of the whole weight.
        shard: The slice.
        shape: Of the whole weight.
        weight: Its name: `embeddings`, `kernel` or `bias`.

    Returns:
        A function that Keras takes for an initializer.
    """
    part = [slice(None)] * len(shape)
    part[_AXES[weight]] = slice(shard.first, shard.last)

    def draw(own_shape: Any, dtype: Any = None) -> tf.Tensor:
        del own_shape
        return tf.identity(initializer(shape, dtype=dtype)[tuple(part)])

    return draw


def shard_name(weight: str, number: int) -> str:
    """Returns the name of a slice of a weight; `slice_name` reads it.

    Args:
        weight: `embeddings`, `kernel` or `bias`.
        number: Of the slice, from 0.

    Example:
        >>> shard_name("kernel", 2)
        'kernel_shard_2'
    """
    return f"{weight}_shard_{number}"


def stage_of(stages: tuple[int, ...] | None, number: int) -> int | None:
    """Returns where slice `number` lives; stages are used in turn.

    Args:
        stages: See `ShardedSoftmax`.
        number: Of the slice, from 0.

    Example:
        >>> [stage_of((2, 3), number) for number in range(3)]
        [2, 3, 2]
    """
    return stages[number % len(stages)] if stages else None


class SliceName(NamedTuple):
    """What the path of a variable says of it.

    Attributes:
        path: Of the whole weight that it is a slice of.
        number: Which slice it is, from 0.
        axis: The axis of words.
    """

    path: str
    number: int
    axis: int


def slice_name(path: str) -> SliceName | None:
    """Tells whether a variable is a slice; None: it is not.

    Args:
        path: Of a weight, or of an optimizer's slot, which holds that of the weight.

    Example:
        >>> slice_name("decoder/projection/kernel_shard_2")
        SliceName(path='decoder/projection/kernel', number=2, axis=1)
        >>> slice_name("optimizer/decoder_projection_bias_shard_0_momentum").path
        'optimizer/decoder_projection_bias_momentum'
    """
    found = _NAME.search(path)
    if found is None:
        return None
    whole = path[: found.start()] + found[1] + path[found.end() :]
    return SliceName(whole, int(found[2]), _AXES[found[1]])
