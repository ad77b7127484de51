"""Whether models can be members of one ensemble."""

import itertools
from collections.abc import Sequence

from nmt.data.codec import TextCodec
from nmt.errors import UserError
from nmt.models.run_folder import LoadedModel


def check_members(members: Sequence[LoadedModel], names: Sequence[str]) -> None:
    """Refuses models that do not read and write the same tokens.

    Args:
        members: The models.
        names: What to call each of them: its run folder.

    Raises:
        UserError: the first difference, with both names.
    """
    for member, name in zip(members[1:], names[1:], strict=True):
        for side in ("source", "target"):
            one, other = (
                getattr(each, f"{side}_codec") for each in (members[0], member)
            )
            found = _difference(one, other)
            if found:
                raise UserError(
                    f"{names[0]} and {name} make no ensemble: their {side} {found}; "
                    "train them with the same vocabulary files"
                )


def normalized_weights(weights: Sequence[float] | None, members: int) -> list[float]:
    """Returns the weights divided by their sum.

    Args:
        weights: One a member; None: all alike.
        members: How many there are.

    Raises:
        UserError: there are more or fewer weights, or one is not positive.

    Example:
        >>> normalized_weights([3, 1], members=2)
        [0.75, 0.25]
    """
    if weights is None:
        return [1 / members] * members
    if len(weights) != members:
        raise UserError(f"weights: got {len(weights)} for {members} models")
    for weight in weights:
        if not 0 < weight < float("inf"):
            raise UserError(f"weights: {weight} is not a positive number")
    # By the largest first: the sum could overflow.
    shares = [weight / max(weights) for weight in weights]
    return [share / sum(shares) for share in shares]


def _difference(one: TextCodec, other: TextCodec) -> str:
    """Returns how two codecs differ; an empty string if they do not."""
    names = one.tokenizer.name, other.tokenizer.name
    if names[0] != names[1]:
        return f"tokenizers are {names[0]!r} and {names[1]!r}"
    rows = itertools.zip_longest(one.vocabulary.tokens, other.vocabulary.tokens)
    for number, (token, other_token) in enumerate(rows, start=1):
        if token != other_token:
            both = f"{_row(token)} and {_row(other_token)}"
            return f"vocabularies differ first in row {number}: {both}"
    digests = one.digest(), other.digest()
    if digests[0] != digests[1]:
        return f"tokenizer models have the digests {digests[0]} and {digests[1]}"
    return ""


def _row(token: str | None) -> str:
    return "missing" if token is None else repr(token)
