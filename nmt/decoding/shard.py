"""A part of a file, so that several jobs can share it."""

import dataclasses

from nmt.errors import UserError


@dataclasses.dataclass(frozen=True)
class Shard:
    """The K-th of N parts: consecutive lines, so that the parts in order are the whole.

    Attributes:
        number: K, from 1.
        count: N.

    Example:
        >>> [Shard(k, 3).bounds(10) for k in (1, 2, 3)]
        [(0, 3), (3, 6), (6, 10)]
    """

    number: int
    count: int

    @classmethod
    def parse(cls, text: str) -> "Shard":
        """Reads `K/N`.

        Raises:
            UserError: it is something else.
        """
        number, slash, count = text.partition("/")
        if slash and number.isdecimal() and count.isdecimal():
            shard = cls(int(number), int(count))
            if 1 <= shard.number <= shard.count:
                return shard
        raise UserError(
            f"shard {text!r}: give K/N, the K-th of N parts, such as 1/4 to 4/4"
        )

    def bounds(self, lines: int) -> tuple[int, int]:
        """Returns the first line of the part, from 0, and the one after its last.

        Args:
            lines: Of the whole.
        """
        first, last = (
            lines * number // self.count for number in (self.number - 1, self.number)
        )
        return first, last
